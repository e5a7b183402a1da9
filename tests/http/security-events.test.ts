import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { SECURITY_EVENTS, type SecurityEvent } from '../../src/adapters/http/security-log.js';
import { DAY, SECOND } from '../../src/domain/ids.js';
import { type HttpService, httpService } from '../support/http-service.js';

const ADDRESS = '203.0.113.9';
const WRONG = 'Wrong-Horse-1';
const NO_TOKEN = 'A'.repeat(43);

describe('Security events', () => {
  let service: HttpService;
  beforeEach(() => {
    service = httpService();
  });

  type Call = Readonly<{ method?: 'post' | 'put' | 'delete' | 'get'; body?: object; bearer?: string }>;
  const call = (path: string, { method = 'post', body, bearer }: Call = {}, on = service) => {
    const asked = on.http[method](path).set({ 'X-Request-Id': 'event', 'X-Forwarded-For': ADDRESS });
    if (bearer !== undefined) void asked.auth(bearer, { type: 'bearer' });
    return body === undefined ? asked : asked.send(body);
  };
  const logIn = (email: string, password: string, on = service) =>
    call('/user/login', { body: { email, password } }, on);
  const vote = (bearer: string) => call('/stream/1/vote', { bearer, body: { voteType: 'up' } });
  const resetToken = async (email: string) => {
    await service.http.post('/user/requestPasswordChange').send({ email }).expect(200);
    await service.deliver();
    return service.mailer.token('reset', email);
  };
  const tampered = (jwt: string) => `${jwt.slice(0, -20)}${NO_TOKEN.slice(0, 20)}`;
  const aSender = async () => {
    const organization = await service.addOrganization();
    return { organization, bearer: await service.addToken(organization) };
  };
  /** A service with no time for passwords, and what was asked of it until it said so. */
  const overloaded = async (ask: (on: HttpService) => PromiseLike<{ status: number }>) => {
    const busy = httpService({ bcrypt: { cost: 12, concurrency: 1, queueLength: 0 } });
    const statuses = (await Promise.all(Array.from({ length: 6 }, () => ask(busy)))).map(
      ({ status }) => status,
    );
    expect(statuses).to.include(503);
    return busy;
  };

  /** How each comes about, and whom it is about; by `event` or `event reason`. */
  const CASES: Record<string, () => Promise<{ subject: readonly string[]; on?: HttpService }>> = {
    'account-registered': async () => {
      await call('/user', { body: service.aListener() }).expect(201);
      return { subject: ['user', 'emailHash'] };
    },
    'registration-refused username-or-email-taken': async () => {
      await call('/user', { body: await service.register() }).expect(409);
      return { subject: ['emailHash'] };
    },
    'registration-refused overloaded': async () => {
      const on = await overloaded((busy) => call('/user', { body: busy.aListener() }, busy));
      return { subject: ['emailHash'], on };
    },
    'account-activated': async () => {
      const { email } = await service.register();
      await call(`/user/activate/${service.mailer.token('activation', email)}`).expect(200);
      return { subject: ['user'] };
    },
    'account-disowned': async () => {
      const { email } = await service.register();
      const path = `/user/verify/${service.mailer.token('activation', email)}`;
      await call(path, { method: 'delete' }).expect(200);
      return { subject: ['user'] };
    },
    'one-time-token-refused activation': async () => {
      await call(`/user/activate/${NO_TOKEN}`).expect(400);
      return { subject: [] };
    },
    'one-time-token-refused disowning': async () => {
      await call(`/user/verify/${NO_TOKEN}`, { method: 'delete' }).expect(400);
      return { subject: [] };
    },
    'one-time-token-refused reset': async () => {
      const body = { password: 'Another-One-2' };
      await call(`/user/resetPassword/${NO_TOKEN}`, { method: 'put', body }).expect(400);
      return { subject: [] };
    },
    'logged-in': async () => {
      const { email, password } = await service.registerAndActivate();
      await logIn(email, password).expect(200);
      return { subject: ['user', 'emailHash'] };
    },
    'login-refused unknown-email': async () => {
      await logIn('nobody@listener.example', WRONG).expect(401);
      return { subject: ['emailHash'] };
    },
    'login-refused wrong-password': async () => {
      await logIn((await service.registerAndActivate()).email, WRONG).expect(401);
      return { subject: ['emailHash'] };
    },
    'login-refused user-not-activated': async () => {
      const { email, password } = await service.register();
      await logIn(email, password).expect(403);
      return { subject: ['emailHash'] };
    },
    'login-refused too-many-failures': async () => {
      const { email, password } = await service.registerAndActivate();
      for (let failure = 0; failure < 50; failure += 1) await logIn(email, WRONG).expect(401);
      service.logged.length = 0;
      await logIn(email, password).expect(429);
      return { subject: ['emailHash'] };
    },
    'login-refused overloaded': async () => {
      const on = await overloaded((busy) => logIn('nobody@listener.example', WRONG, busy));
      return { subject: ['emailHash'], on };
    },
    'reset-requested': async () => {
      await call('/user/requestPasswordChange', { body: { email: 'nobody@listener.example' } }).expect(200);
      return { subject: ['emailHash'] };
    },
    'password-reset': async () => {
      const token = await resetToken((await service.registerAndActivate()).email);
      await call(`/user/resetPassword/${token}`, {
        method: 'put',
        body: { password: 'Another-One-2' },
      }).expect(201);
      return { subject: ['user'] };
    },
    'access-token-refused not-ours': async () => {
      await vote('nonsense').expect(401);
      return { subject: [] };
    },
    'access-token-refused bad-signature': async () => {
      await vote(tampered(await service.aJwt())).expect(401);
      return { subject: [] };
    },
    'access-token-refused expired': async () => {
      const jwt = await service.aJwt();
      service.clock.advance(DAY);
      // Anonymous callers may read votes; that somebody tried to be somebody is logged all the same.
      await call('/stream/1/votes', { method: 'get', bearer: jwt }).expect(404);
      return { subject: [] };
    },
    'access-token-refused wrong-claims': async () => {
      const jwt = await service.aJwt();
      service.clock.advance(-60 * SECOND);
      await vote(jwt).expect(401);
      return { subject: [] };
    },
    'access-token-refused session-ended': async () => {
      const anna = await service.registerAndActivate();
      const jwt = await service.logIn(anna);
      const { id } = await service.addStream(await service.addOrganization());
      const path = `/user/resetPassword/${await resetToken(anna.email)}`;
      await service.http.put(path).send({ password: 'Another-One-2' }).expect(201);
      await call(`/stream/${id}/vote`, { bearer: jwt, body: { voteType: 'up' } }).expect(401);
      await call('/user/streams', { method: 'get', bearer: jwt }).expect(401);
      return { subject: ['user'] };
    },
    'organization-token-refused': async () => {
      await call('/stream/update/nonsense', { bearer: `rdo_${NO_TOKEN}` }).expect(401);
      return { subject: [] };
    },
    'access-denied stream-of-another-organization': async () => {
      const { bearer } = await aSender();
      const { uuid } = await service.addStream(await service.addOrganization());
      await call(`/stream/update/${uuid}`, { bearer, body: { title: 'A' } }).expect(403);
      return { subject: ['organization', 'token'] };
    },
    'access-denied another-organization': async () => {
      const { organization, bearer } = await aSender();
      const path = `/organization/${organization + 1}/token/streams/details`;
      await call(path, { method: 'get', bearer }).expect(403);
      return { subject: ['organization', 'token'] };
    },
  };

  const named = Object.entries(SECURITY_EVENTS).flatMap(([event, reasons]: [string, readonly string[]]) =>
    reasons.length === 0 ? [event] : reasons.map((reason) => `${event} ${reason}`),
  );

  for (const name of named)
    it(`log ${name}: who, what and from where`, async () => {
      const { subject, on = service } =
        (await CASES[name]?.()) ?? expect.fail('Nobody knows how it comes about.');
      const [event, reason] = name.split(' ') as [SecurityEvent, string?];
      const lines = on.logged
        .filter(({ message }) => message === 'security event')
        .map(({ fields }) => fields as Readonly<Record<string, unknown>>)
        .filter(
          (line) => line['event'] === event && line['reason'] === reason && line['requestId'] === 'event',
        );
      expect(lines).not.to.be.empty;
      for (const line of lines) {
        const told = [
          'requestId',
          'event',
          'address',
          ...(reason === undefined ? [] : ['reason']),
          ...subject,
        ];
        expect(line).to.have.all.keys(...told);
        expect(line['address']).to.equal(ADDRESS);
        for (const value of Object.values(line)) expect(value).not.to.be.undefined;
      }
    });

  it('are all that there are', () => {
    expect(Object.keys(CASES)).to.have.members(named);
  });

  it('are all explained to operators', () => {
    const page = readFileSync('docs/monitoring.md', 'utf8');
    for (const word of named.flatMap((name) => name.split(' '))) expect(page).to.include(`\`${word}\``);
  });

  it('name a mailbox alike in any letter case, and by nothing that others could compute', async () => {
    const hashes: unknown[] = [];
    for (const email of ['Anna@Listener.Example', 'anna@listener.example', 'ben@listener.example']) {
      await logIn(email, WRONG).expect(401);
      const line = service.logged.find(({ message }) => message === 'security event');
      hashes.push((line?.fields as { emailHash?: unknown }).emailHash);
      expect(JSON.stringify(service.logged).toLowerCase()).not.to.include(email.toLowerCase());
      service.logged.length = 0;
    }
    expect(hashes[0]).to.match(/^[\w-]{22}$/);
    expect(hashes[1]).to.equal(hashes[0]);
    expect(hashes[2]).not.to.equal(hashes[0]);

    const other = httpService({ replace: () => ({ logKey: 'another key' }) });
    await logIn('anna@listener.example', WRONG, other).expect(401);
    const line = other.logged.find(({ message }) => message === 'security event');
    expect(line?.fields).to.have.property('emailHash').not.equal(hashes[0]);
  });

  it('include the good tokens, in the line of the request', async () => {
    const jwt = await service.aJwt();
    const { organization, bearer } = await aSender();
    await vote(jwt).expect(404);
    await call(`/organization/${organization}/token/streams/details`, { method: 'get', bearer }).expect(200);
    const lines = service.logged.map(({ fields }) => fields);
    const line = { requestId: 'event', address: ADDRESS };
    expect(lines[0]).to.include({ ...line, caller: 'user', user: 1, status: 404 });
    expect(lines[1]).to.include({ ...line, caller: 'organization', organization, token: 1, status: 200 });
  });
});
