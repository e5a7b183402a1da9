import { readFileSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { ESLint } from 'eslint';

/** What each layer must refuse: file, and code that breaks its rule. A rule that matches nothing would pass for ever. */
const REFUSED: readonly (readonly [file: string, code: string])[] = [
  ['domain/vote.ts', "import Joi from 'joi';\nexport const x = Joi;"],
  ['domain/vote.ts', "import { readFileSync } from 'node:fs';\nexport const x = readFileSync;"],
  ['domain/vote.ts', "import type { Clock } from '../application/ports/clock.js';\nexport type X = Clock;"],
  ['domain/vote.ts', "export { x } from '../adapters/http/app.js';"],
  ['domain/vote.ts', 'export const now = Date.now();'],
  ['domain/vote.ts', 'export const now = new Date();'],
  ['domain/vote.ts', 'export const dice = Math.random();'],
  ['domain/vote.ts', "export const home = process.env['HOME'];"],
  ['domain/vote.ts', "export const fs = import('node:fs');"],
  ['domain/vote.ts', "export function f(): never {\n  throw new Error('no');\n}"],
  ['application/voting.ts', "import express from 'express';\nexport const x = express;"],
  ['application/voting.ts', "import { randomUUID } from 'node:crypto';\nexport const x = randomUUID;"],
  [
    'application/voting.ts',
    "import { createApp } from '../adapters/http/app.js';\nexport const x = createApp;",
  ],
  [
    'application/ports/clock.ts',
    "import { PORT } from '../../infrastructure/container.js';\nexport const x = PORT;",
  ],
  ['application/voting.ts', "import type { paths } from '../client/schema.js';\nexport type X = paths;"],
  ['application/voting.ts', 'export const timer = setTimeout(() => {}, 1);'],
  ['adapters/http/app.ts', "import { injectable } from 'inversify';\nexport const x = injectable;"],
  [
    'adapters/http/app.ts',
    "import { PORT } from '../../infrastructure/container.js';\nexport const x = PORT;",
  ],
  [
    'adapters/http/app.ts',
    "import { createKnex } from '../postgres/postgres-database.js';\nexport const x = createKnex;",
  ],
  [
    'adapters/postgres/migrations/001-accounts.ts',
    "import { createApp } from '../../http/app.js';\nexport const x = createApp;",
  ],
  ['client/index.ts', "import type { StreamId } from '../domain/ids.js';\nexport type X = StreamId;"],
  ['client/index.ts', "import { readFileSync } from 'node:fs';\nexport const x = readFileSync;"],
  ['client/index.ts', "import Joi from 'joi';\nexport const x = Joi;"],
  ['infrastructure/service.ts', "import { Container } from 'inversify';\nexport const x = Container;"],
  [
    'infrastructure/service.ts',
    'const log = (_: unknown, __: unknown): void => {};\n@log\nexport class X {}',
  ],
];

const ALLOWED: readonly (readonly [file: string, code: string])[] = [
  ['domain/vote.ts', "import type { Instant } from './ids.js';\nexport type X = Instant;"],
  ['application/voting.ts', "import type { Clock } from './ports/clock.js';\nexport type X = Clock;"],
  [
    'application/ports/clock.ts',
    "import type { Instant } from '../../domain/ids.js';\nexport type X = Instant;",
  ],
  ['adapters/http/app.ts', "import express from 'express';\nexport const x = express;"],
  [
    'adapters/postgres/migrations.ts',
    "import type { Instant } from '../../domain/ids.js';\nexport type X = Instant;",
  ],
  [
    'client/index.ts',
    "import createClient from 'openapi-fetch';\nimport type { paths } from './schema.js';\nexport const x = createClient<paths>();",
  ],
  ['infrastructure/container.ts', "import { Container } from 'inversify';\nexport const x = Container;"],
];

describe('The layers', function () {
  // The first file that is linted loads the types of all.
  this.timeout(120_000);
  let eslint: ESLint;

  before(() => {
    eslint = new ESLint();
  });

  const brokenRules = async (file: string, code: string): Promise<string[]> => {
    const [report] = await eslint.lintText(`${code}\n`, { filePath: `src/${file}` });
    const messages = report?.messages ?? [];
    expect(messages.filter((message) => message.fatal)).to.deep.equal([]);
    return messages.map((message) => message.ruleId ?? '').filter((rule) => rule.startsWith('no-restricted'));
  };

  for (const [file, code] of REFUSED) {
    it(`refuse in src/${file}: ${code.split('\n').slice(0, 2).join(' ')}`, async () => {
      expect(await brokenRules(file, code)).to.not.deep.equal([]);
    });
  }

  for (const [file, code] of ALLOWED) {
    it(`allow in src/${file}: ${code.split('\n')[0]}`, async () => {
      expect(await brokenRules(file, code)).to.deep.equal([]);
    });
  }

  it('hold in every file', async () => {
    const reports = await eslint.lintFiles(['src/**/*.ts']);
    expect(reports.length).to.be.greaterThan(30);
    const broken = reports.flatMap((report) =>
      report.messages
        .filter((message) => message.ruleId?.startsWith('no-restricted'))
        .map((message) => `${report.filePath}:${message.line} ${message.message}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('leave the domain without a dependency', () => {
    const imports = readdirSync('src/domain').flatMap((file) =>
      [...readFileSync(`src/domain/${file}`, 'utf8').matchAll(/from '([^']+)'/g)].map((match) => match[1]),
    );
    expect(imports.filter((specifier) => !specifier?.startsWith('./'))).to.deep.equal([]);
    expect(imports).to.not.be.empty;
  });
});
