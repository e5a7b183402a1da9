import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect } from 'chai';
import type { Express } from 'express';
import type supertest from 'supertest';
import type { HttpDependencies } from '../../src/adapters/http/app.js';
import {
  EARLIER_REPORT,
  EMAIL_TOKEN,
  REPORT,
  STREAM_UUID,
} from '../../src/adapters/http/openapi/examples.js';
import { type Operation, PARAMETERS, type Parameter } from '../../src/adapters/http/openapi/operation.js';
import { type MediaType, RESPONSES, type ResponseObject } from '../../src/adapters/http/openapi/responses.js';
import { Unavailable } from '../../src/application/errors.js';
import { parseEmailAddress } from '../../src/domain/credentials.js';
import { must } from '../support/builders.js';
import { API, type Exchange, takeDrift } from '../support/described.js';
import { documentedDirectory } from '../support/documented-directory.js';
import { type ServiceOptions, httpService } from '../support/http-service.js';

type Directory = Awaited<ReturnType<typeof documentedDirectory>>;
interface Operated {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly template: string;
  readonly operation: Operation;
}

const ANNA = { username: 'Anna', email: 'anna@listener.example', password: 'Correct-Horse-1' };
const OPERATIONS = Object.entries(API.document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, template, operation }) as Operated),
);
/** By media type; `none`: what an operation is sent that needs no body. */
function bodiesToSend({ requestBody }: Operation): Readonly<Record<string, Pick<MediaType, 'examples'>>> {
  const none = { examples: { request: { value: undefined } } };
  return { ...requestBody?.content, ...(requestBody?.required ? {} : { none }) };
}
const nameOf = ({ method, template }: Operated) => `${method.toUpperCase()} ${template}`;

/** What Express would route to, by method and pattern. `ALL` and OPTIONS are there for refusals only. */
function routesOf({ router }: Express): string[] {
  const within = (stack: typeof router.stack): string[] =>
    stack.flatMap(({ route, handle }) => {
      if (!route) return 'stack' in handle ? within(handle.stack as typeof router.stack) : [];
      const methods = Object.keys((route as unknown as { methods: object }).methods);
      return methods
        .filter((method) => method !== '_all' && method !== 'options')
        .map((method) => `${method.toUpperCase()} ${route.path}`);
    });
  return within(router.stack);
}

/** Anna is registered and, unless she is to be yet, activated, a member, and the one who voted. */
async function directoryFor({ operation }: Operated, options: ServiceOptions = {}) {
  const directory = await documentedDirectory(options);
  const { operationId } = operation;
  let jwt = '';
  let emailToken = EMAIL_TOKEN;
  if (operationId === 'activate' || operationId === 'disown') {
    await directory.register(ANNA);
    emailToken = directory.mailer.token('activation', ANNA.email);
  } else if (operationId !== 'register') {
    await directory.registerAndActivate(ANNA);
    must(
      await directory.organizations.addMember(directory.organization, must(parseEmailAddress(ANNA.email))),
    );
    jwt = await directory.logIn(ANNA);
  }
  return { ...directory, jwt, emailToken };
}

/** What the directory shows in the examples has happened. */
async function fill({ http, jwt, token, clock }: Awaited<ReturnType<typeof directoryFor>>): Promise<void> {
  for (const report of [EARLIER_REPORT, REPORT])
    await http.post(`/stream/update/${STREAM_UUID}`).auth(token, { type: 'bearer' }).send(report).expect(200);
  await http.post('/stream/1/vote').auth(jwt, { type: 'bearer' }).send({ voteType: 'up' }).expect(200);
  clock.advance(1);
}

interface Sending {
  readonly method?: 'patch';
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: string;
  readonly credentials?: string | null;
  readonly host?: string;
  readonly type?: string;
  readonly body?: string | null;
}

/** What the operation shows for its parameters in this place, by their names. */
function parameterExamples(operation: Operation, place: Parameter['in']): Readonly<Record<string, unknown>> {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    '$ref' in parameter ? PARAMETERS[parameter.$ref.split('/').at(-1) as keyof typeof PARAMETERS] : parameter,
  );
  const there = parameters.filter((parameter) => parameter.in === place);
  return Object.fromEntries(there.map(({ name, example }) => [name, example]));
}

/** The documented request, but for what is given. Where no body is sent, the query may say what it would. */
function send(
  directory: Directory & { jwt: string; emailToken: string },
  { method, template, operation }: Operated,
  sending: Sending = {},
): supertest.Test {
  const examples = parameterExamples(operation, 'path');
  const params: Record<string, unknown> = {
    ...examples,
    ...(examples['token'] === undefined ? {} : { token: directory.emailToken }),
    ...sending.params,
  };
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]));
  const query = new URLSearchParams(parameterExamples(operation, 'query') as Record<string, string>);
  const request = directory.http[sending.method ?? method](
    path + (sending.query ?? (sending.body === null ? `?${query.toString()}` : '')),
  );
  request.set(parameterExamples(operation, 'header') as Record<string, string>);
  const isUsers =
    operation.security.some((one) => 'accessToken' in one) && operation.operationId !== 'getVotes';
  const isSenders = operation.security.some((one) => 'organizationToken' in one);
  const usual = isUsers ? directory.jwt : isSenders ? directory.token : null;
  const credentials = sending.credentials === undefined ? usual : sending.credentials;
  if (credentials !== null) request.set('Authorization', `Bearer ${credentials}`);
  if (sending.host !== undefined) request.set('Host', sending.host);
  const [media] = Object.entries(operation.requestBody?.content ?? {});
  const [example] = Object.values(media?.[1].examples ?? {});
  const body = sending.body === undefined ? example && JSON.stringify(example.value) : sending.body;
  if (body === null || body === undefined) return request;
  return request.set('Content-Type', sending.type ?? media?.[0] ?? 'text/plain').send(body);
}

function responseOf({ operation }: Operated, status: number | string): ResponseObject {
  const described = operation.responses[status];
  if (!described) throw new Error(`${operation.operationId} does not describe ${status}.`);
  if (!('$ref' in described)) return described;
  const name = described.$ref.split('/').at(-1) as keyof typeof RESPONSES;
  return RESPONSES[name];
}

function bodiesOf(operated: Operated, status: number | string): unknown[] {
  const media = responseOf(operated, status).content?.['application/json'];
  return Object.values(media?.examples ?? {}).map(({ value }) => value);
}

describe('The OpenAPI document', () => {
  it('describes exactly the routes that there are', () => {
    const described = OPERATIONS.map((operated) => nameOf(operated).replace(/\{(\w+)\}/g, ':$1'));
    const routes = routesOf(httpService({ isDescribed: false }).app);
    expect(routes).to.have.length.above(10);
    expect(described.sort()).to.deep.equal(routes.sort());
  });

  it('names every operation once', () => {
    const ids = OPERATIONS.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('is clean by every recommended rule of Redocly, with examples that fit their schemas', async function () {
    this.timeout(60_000);
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        // The specification has `/organization/{id}/streams` and `/organization/name/{name}`.
        'no-ambiguous-paths': 'off',
        // What AzuraCast sends has more fields than are read; answers are compared field by field below.
        'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
        'no-invalid-parameter-examples': 'error',
        'no-invalid-schema-examples': 'error',
      },
    });
    const lint = async (document: object) =>
      (await lintFromString({ source: JSON.stringify(document), config })).map(
        ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
      );
    expect(await lint(API.document)).to.deep.equal([]);
    const text = JSON.stringify(API.document).replace('"value":{"users":1,', '"value":{"users":"one",');
    expect(await lint(JSON.parse(text) as object)).to.have.length(1);
  });

  describe('shows requests that succeed, answered as it shows', () => {
    for (const operated of OPERATIONS)
      for (const [type, { examples }] of Object.entries(bodiesToSend(operated.operation)))
        for (const [name, { value }] of Object.entries(examples))
          it(`${nameOf(operated)} ${type === 'none' ? '' : `${name} (${type})`}`, async () => {
            const directory = await directoryFor(operated);
            if (operated.method === 'get') await fill(directory);
            if (operated.operation.operationId === 'resetPassword') {
              await directory.http
                .post('/user/requestPasswordChange')
                .send({ email: ANNA.email })
                .expect(200);
              await directory.deliver();
              directory.emailToken = directory.mailer.token('reset', ANNA.email);
            }
            const isForm = type.endsWith('urlencoded');
            const body = isForm
              ? new URLSearchParams(value as Record<string, string>).toString()
              : value && JSON.stringify(value);
            const response = await send(
              directory,
              operated,
              typeof body === 'string' ? { type, body } : { body: null },
            );
            expect(response.status, response.text).to.be.oneOf([200, 201]);
            const shown = bodiesOf(operated, response.status).map(comparable);
            expect(shown).to.deep.include(comparable(response.body));
            // A report that was not understood would be answered as shown too: unchanged.
            if (operated.operation.operationId === 'reportNowPlaying')
              expect(response.body).to.deep.equal({ message: 'Stream updated' });
          });
  });

  describe('names whose credentials are read, and no others', () => {
    for (const operated of OPERATIONS)
      it(nameOf(operated), async () => {
        const directory = await directoryFor(operated);
        const callers: unknown[] = [];
        for (const credentials of [await directory.aJwt(), directory.token]) {
          await send(directory, operated, { credentials });
          const line = directory.logged.findLast(({ message }) => message === 'request');
          callers.push((line?.fields as { caller?: unknown }).caller);
        }
        const { security } = operated.operation;
        const named = (scheme: string, caller: string) =>
          security.some((one) => scheme in one) ? caller : 'anonymous';
        expect(callers).to.deep.equal([
          named('accessToken', 'user'),
          named('organizationToken', 'organization'),
        ]);
      });
  });

  describe('shows refusals as they are', () => {
    for (const operated of OPERATIONS)
      for (const status of Object.keys(operated.operation.responses).map(Number))
        // A header of too many lines is refused before anything else (server.test.ts), and `GET /` asks nothing that could fail.
        if (status >= 400 && status !== 431 && !(operated.template === '/' && status >= 500))
          it(`${nameOf(operated)} ${status}`, async () => {
            const refused = (await provoke(operated, status)).filter(
              (response) => response.status === status,
            );
            const bodies = refused.map(({ body }) => body as unknown);
            expect(bodies, `nothing was answered ${status}`).not.to.be.empty;
            const general = status === 400 ? bodiesOfShared('BadRequest') : [];
            for (const body of bodiesOf(operated, status))
              if (!general.includes(JSON.stringify(body))) expect(bodies).to.deep.include(body);
          });

    it('for what no operation can read', async () => {
      const { http } = httpService();
      const host = await http.get('/').set('Host', 'a b');
      const path = await http.get('/organization/name/%FF');
      const bodies = [host, path].map(({ body }) => JSON.stringify(body));
      expect(bodies).to.deep.equal(bodiesOfShared('BadRequest'));
    });
  });

  describe('is what every answer in these tests is compared with, and a difference is found', () => {
    const exchange = (
      changes: Partial<Exchange> = {},
      body: object = { users: 1, organizations: 2, stations: 3 },
    ) => ({
      method: 'GET',
      route: '/stats',
      params: {},
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'x', etag: '"x"' },
      body: Buffer.from(JSON.stringify(body)),
      isLimited: false,
      ...changes,
    });
    const { headers } = exchange();
    const error = (statusCode: number) => ({ statusCode, message: 'Some text' });

    it('in whatever a test asks for', async () => {
      const { http } = httpService({ replace: () => ({ version: 7 as unknown as string }) });
      await http.get('/').expect(200);
      expect(takeDrift()).to.deep.equal(['GET / 200: body/version must be string {"type":"string"}']);
    });

    it('except where there is none', () => {
      expect(API.problems(exchange())).to.deep.equal([]);
    });

    const vote = { method: 'POST', route: '/stream/:id/vote', params: { id: '1' }, sent: { voteType: 'up' } };
    const saved = { message: 'Vote saved' };
    for (const [what, found, drifted] of [
      [
        'a field more',
        /additional properties/,
        exchange({}, { users: 1, organizations: 2, stations: 3, more: 4 }),
      ],
      ['a field less', /required property 'stations'/, exchange({}, { users: 1, organizations: 2 })],
      [
        'another type',
        /body\/users must be integer/,
        exchange({}, { users: '1', organizations: 2, stations: 3 }),
      ],
      ['another status', /status 202 is not described/, exchange({ status: 202 })],
      ['another method', /status 200 is not described/, exchange({ method: 'POST' })],
      ['another route', /status 200 is not described/, exchange({ route: '/statistics' })],
      ['a missing header', /header ETag is missing/, exchange({ headers: { ...headers, etag: undefined } })],
      [
        'a header that is not described',
        /header retry-after is not described/,
        exchange({ headers: { ...headers, 'retry-after': '1' } }),
      ],
      ['missing limits', /header RateLimit is missing/, exchange({ isLimited: true })],
      [
        'a header of another type',
        /header Retry-After must be integer/,
        exchange(
          { status: 503, headers: { ...headers, etag: undefined, 'retry-after': 'soon' } },
          error(503),
        ),
      ],
      [
        'another media type',
        /media type is text\/html/,
        exchange({ headers: { ...headers, 'content-type': 'text/html' } }),
      ],
      ['a body where there is none', /there is a body/, exchange({ status: 304 })],
      [
        'another status in the body',
        /statusCode is 400/,
        exchange({ status: 500, headers: { ...headers, etag: undefined } }, error(400)),
      ],
      [
        'a refusal without message',
        /'message'/,
        exchange({ status: 404, route: null, headers: { ...headers, etag: undefined } }, { statusCode: 404 }),
      ],
      [
        'a message that is none of three',
        /allowed values/,
        exchange({ ...vote, headers: { ...headers, etag: undefined } }, { message: 'Voted' }),
      ],
      [
        'an accepted body that is not allowed',
        /request\/voteType/,
        exchange(
          { ...vote, sent: { voteType: 'sideways' }, headers: { ...headers, etag: undefined } },
          saved,
        ),
      ],
      [
        'an accepted path that is not allowed',
        /parameter id must be >= 1/,
        exchange({ ...vote, params: { id: '0' }, headers: { ...headers, etag: undefined } }, saved),
      ],
    ] as const)
      it(what, () => {
        expect(API.problems(drifted).join('\n')).to.match(found);
        expect(API.problems(drifted)).to.have.length.below(3);
      });
  });
});

/** Two answers that differ in nothing but what is new each time. */
function comparable(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body, (key, value: unknown) => (key === 'access_token' ? 'eyJ' : value)).replace(
      /"current":\{"id":"[0-9a-f-]{36}"/,
      '"current":{"id":""',
    ),
  );
}

function bodiesOfShared(name: keyof typeof RESPONSES): string[] {
  const media = RESPONSES[name].content?.['application/json'];
  return Object.values(media?.examples ?? {}).map(({ value }) => JSON.stringify(value));
}

const ODD_BODIES = [
  '{',
  '[]',
  '{}',
  JSON.stringify({ ...ANNA, password: 'CorrectHorse' }),
  JSON.stringify({ ...ANNA, email: 'nonsense' }),
  JSON.stringify({ voteType: 'sideways' }),
];

/** All dependencies that could fail, failing. */
const failing = (failure: Error) => (dependencies: HttpDependencies) => {
  const broken = new Proxy({}, { get: () => () => Promise.reject(failure) });
  const { clock, log, version, trustProxy, rateLimiter, accessTokens, ...others } = dependencies;
  const names = Object.keys(others);
  void [clock, log, version, trustProxy, rateLimiter, accessTokens];
  return Object.fromEntries(names.map((name) => [name, broken])) as Partial<HttpDependencies>;
};

/** Sends what must be refused in this way. */
async function provoke(operated: Operated, status: number): Promise<supertest.Response[]> {
  const { operation } = operated;
  const one = async (sending: Sending, options: ServiceOptions = {}) => {
    const directory = await directoryFor(operated);
    if (!options.replace) return [await send(directory, operated, sending)];
    const broken = httpService(options);
    return [await send({ ...directory, ...broken, token: directory.token }, operated, sending)];
  };
  const params = (operation.parameters ?? []).flatMap((parameter) =>
    'in' in parameter && parameter.in === 'path' ? [parameter.name] : [],
  );
  const odd: Record<string, string> = { name: '%07' };
  switch (status) {
    case 400: {
      const sendings: Sending[] = [
        { host: 'a b' },
        ...params.map((name) => ({ params: { [name]: odd[name] ?? 'x' } })),
        ...(operation.requestBody ? ODD_BODIES.map((body) => ({ body })) : []),
      ];
      return (await Promise.all(sendings.map((sending) => one(sending)))).flat();
    }
    case 401:
      return one(
        operation.operationId === 'logIn'
          ? { body: JSON.stringify({ ...ANNA, password: 'Wrong-Horse-1' }) }
          : { credentials: null },
      );
    case 403: {
      const directory = await directoryFor(operated);
      if (operation.operationId === 'logIn') {
        const listener = await directory.register();
        return [await send(directory, operated, { body: JSON.stringify(listener) })];
      }
      const credentials = await directory.addToken(await directory.addOrganization());
      return [await send(directory, operated, { credentials })];
    }
    case 404:
      return one({ params: { id: 4_711, name: 'nobody', streamUUID: STREAM_UUID.replace('3', '4') } });
    case 405:
      return one({ method: 'patch' });
    case 409: {
      const directory = await directoryFor(operated);
      return [await send(directory, operated), await send(directory, operated)];
    }
    case 413:
      return one({ body: JSON.stringify({ title: 'x'.repeat(300_000) }) });
    case 414:
      return one({ query: `?q=${'x'.repeat(9_000)}` });
    case 415:
      return one({ body: 'title', type: 'text/plain' });
    case 429: {
      const directory = await directoryFor(operated, { rateLimits: true });
      const responses = [];
      for (let sent = 0; sent < 4; sent += 1) responses.push(await send(directory, operated));
      return responses;
    }
    case 500:
      return one({}, { replace: failing(new Error('a bug')) });
    case 503:
      return one({}, { replace: failing(new Unavailable('PostgreSQL', new Error('gone'))) });
    default:
      throw new Error(`How is ${status} provoked?`);
  }
}
