import { expect } from 'chai';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { httpService, listening } from '../support/http-service.js';
import { shownOn } from '../support/shown.js';

/** Each command of the page, and the answer that stands below it. */
function examples(
  page: string,
): { readonly heading: string; readonly command: string; readonly answer: string }[] {
  const sections = page.split(/^## /m).slice(1);
  return sections.flatMap((section) => {
    const [heading = ''] = section.split('\n');
    const blocks = section.matchAll(/```sh\n([^]*?)```\s+```json\n([^]*?)```/g);
    return [...blocks].map(([, command = '', answer = '']) => ({ heading, command, answer: answer.trim() }));
  });
}

describe('docs/senders.md', () => {
  const page = readFileSync('docs/senders.md', 'utf8');
  const found = examples(page);

  before('needs curl and bash on this machine', function () {
    const [curl, bash] = ['curl', 'bash'].map((program) => spawnSync(program, ['--version']).status);
    if (curl !== 0 || bash !== 0) this.skip();
  });

  it('shows the answer to every command', () => {
    expect(found).to.have.length.above(8);
    expect(found).to.have.length(page.split('```sh\n').length - 1);
    for (const { command } of found) expect(command).to.match(/^curl /);
  });

  for (const [index, { heading, command, answer }] of found.entries())
    it(`has a command that works: ${heading} (${index + 1})`, async () => {
      const service = httpService({ rateLimits: true });
      const organization = await service.addOrganization();
      const token = await service.addToken(organization);
      const stream = await service.addStream(organization);
      const { url, close } = await listening(service.app);
      try {
        const { stdout } = await promisify(execFile)('bash', ['-euc', command], {
          env: {
            PATH: process.env['PATH'],
            NO_PROXY: '*',
            BASE_URL: url,
            STREAM_UUID: stream.uuid,
            ORG_TOKEN: token,
          },
        });
        expect(JSON.parse(stdout)).to.deep.equal(JSON.parse(answer));
        const { title } = (await shownOn(service.http, stream.id)).song;
        if (answer.includes('unchanged')) expect(title).to.equal('');
        else expect(command.replaceAll('+', ' ')).to.include(title === '' ? '(nothing shown)' : title);
      } finally {
        await close();
      }
    });
});
