import { expect } from 'chai';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/domain/ids.js';
import { type HttpService, httpService } from '../support/http-service.js';
import { START } from '../support/manual-clock.js';
import { type WireError, type WireStream, json } from '../support/wire.js';

const INVALID_TOKEN = { statusCode: 400, message: 'Invalid or expired token' };
const WRONG_CREDENTIALS = { statusCode: 401, message: 'Invalid email or password' };

const claimsOf = (jwt: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;

describe('Users over HTTP', () => {
  let service: HttpService;
  beforeEach(() => {
    service = httpService();
  });

  describe('POST /user', () => {
    it('registers an account and has the confirmation mail sent', async () => {
      const anna = service.aListener();
      const response = await service.http.post('/user').send(anna).expect(201);
      expect(response.text).to.equal('{"message":"User created, please active user"}');
      expect(response.headers['cache-control']).to.equal('no-store');
      await service.deliver();
      expect(service.mailer.mails.map(({ kind, to }) => [kind, to])).to.deep.equal([
        ['activation', anna.email],
      ]);
    });

    it('refuses a username or an email in use, in any letter case, and never says which', async () => {
      const anna = await service.registerAndActivate();
      const taken = { statusCode: 409, message: 'Username or email already in use' };
      for (const again of [
        { ...service.aListener(), email: anna.email.toUpperCase() },
        { ...service.aListener(), username: anna.username.toUpperCase() },
        anna,
      ]) {
        const response = await service.http.post('/user').send(again).expect(409);
        expect(response.body).to.deep.equal(taken);
      }
    });

    it('lets a new registration take the place of one that was never activated', async () => {
      const anna = service.aListener();
      await service.http.post('/user').send(anna).expect(201);
      await service.http.post('/user').send(anna).expect(409);
      service.clock.advance(DAY + MINUTE);
      await service.http.post('/user').send(anna).expect(201);
    });

    it('names everything that is wrong with every field at once', async () => {
      const response = await service.http
        .post('/user')
        .send({ username: ' ', email: 'nobody', password: 'short' })
        .expect(400);
      expect(response.body).to.deep.equal({
        statusCode: 400,
        message:
          'username must be 1 to 64 characters without control, format or ill-formed ones; ' +
          'email must be one email address of at most 254 ASCII characters; ' +
          'password must be at least 8 characters long, hold an upper-case letter, hold a number, and hold a special character.',
      });
    });

    it('names missing fields and wrong types together with broken rules', async () => {
      const response = await service.http
        .post('/user')
        .send({ username: 7, password: 'secret-pass' })
        .expect(400);
      expect(json<WireError>(response).message).to.equal(
        'username must be a string; email is required; password must hold an upper-case letter and hold a number.',
      );
    });

    for (const [password, rule] of [
      ['Abcdef1', 'be at least 8 characters long and hold a special character'],
      ['abcdefg1!', 'hold an upper-case letter'],
      ['Abcdefgh!', 'hold a number'],
      ['Abcdefgh1', 'hold a special character'],
      [`Aa1!${'x'.repeat(69)}`, 'be at most 72 bytes of UTF-8'],
      [`Aa1!${'é'.repeat(35)}`, 'be at most 72 bytes of UTF-8'],
      ['Abcdef1!\u0000', 'hold no U+0000 and no lone surrogate'],
      ['Abcdef1!\ud800', 'hold no U+0000 and no lone surrogate'],
    ] as const)
      it(`refuses a password that should ${rule} (${password.length} units), without repeating it`, async () => {
        const response = await service.http
          .post('/user')
          .send({ ...service.aListener(), password })
          .expect(400);
        expect(json<WireError>(response).message).to.equal(`password must ${rule}.`);
      });

    it('takes upper case, number and special characters of any script, and 72 bytes', async () => {
      for (const password of ['Éabcdef٣–', `Aa1!${'x'.repeat(68)}`])
        await service.http
          .post('/user')
          .send({ ...service.aListener(), password })
          .expect(201);
    });

    it('ignores fields it does not know, also those that every object inherits', async () => {
      const anna = service.aListener();
      const hostile = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},${JSON.stringify(anna).slice(1)}`;
      await service.http.post('/user').type('json').send(hostile).expect(201);
      expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
      const smuggled = `{"__proto__":${JSON.stringify(service.aListener())}}`;
      await service.http.post('/user').type('json').send(smuggled).expect(400);
    });
  });

  describe('POST /user/activate/:token', () => {
    it('activates the account, once', async () => {
      const anna = await service.register();
      const token = service.mailer.token('activation', anna.email);
      const response = await service.http.post(`/user/activate/${token}`).expect(200);
      expect(response.text).to.equal('{"message":"User activated"}');
      const again = await service.http.post(`/user/activate/${token}`).expect(400);
      expect(again.body).to.deep.equal(INVALID_TOKEN);
      await service.http.post('/user/login').send(anna).expect(200);
    });

    it('refuses unknown, expired and impossible tokens alike', async () => {
      const anna = await service.register();
      const expired = service.mailer.token('activation', anna.email);
      service.clock.advance(DAY);
      for (const token of [expired, 'A'.repeat(43), 'x', '%00', '%F0%9F%98%80', 'x'.repeat(1_000)]) {
        const response = await service.http.post(`/user/activate/${token}`).expect(400);
        expect(response.body).to.deep.equal(INVALID_TOKEN);
      }
    });
  });

  describe('DELETE /user/verify/:token', () => {
    it('deletes the account awaiting activation', async () => {
      const anna = await service.register();
      const token = service.mailer.token('activation', anna.email);
      const response = await service.http.delete(`/user/verify/${token}`).expect(200);
      expect(response.text).to.equal('{"message":"User deleted"}');
      const again = await service.http.delete(`/user/verify/${token}`).expect(400);
      expect(again.body).to.deep.equal(INVALID_TOKEN);
      await service.http.post('/user').send(anna).expect(201);
    });

    it('refuses the token of an activated account', async () => {
      const anna = await service.registerAndActivate();
      const token = service.mailer.token('activation', anna.email);
      const response = await service.http.delete(`/user/verify/${token}`).expect(400);
      expect(response.body).to.deep.equal(INVALID_TOKEN);
    });
  });

  describe('POST /user/login', () => {
    for (const [thirtyDaysLogin, lifetime] of [
      [undefined, DAY],
      [false, DAY],
      [true, 30 * DAY],
    ] as const)
      it(`gives a JWT of ${lifetime / HOUR} hours for thirtyDaysLogin ${thirtyDaysLogin}`, async () => {
        const { email, password } = await service.registerAndActivate();
        const response = await service.http
          .post('/user/login')
          .send({ email, password, thirtyDaysLogin })
          .expect(200);
        expect(Object.keys(response.body as object)).to.deep.equal(['access_token']);
        const jwt = json<{ access_token: string }>(response).access_token;
        expect(claimsOf(jwt)).to.include({ iat: START / SECOND, exp: (START + lifetime) / SECOND });
        service.clock.advance(lifetime - MINUTE);
        await service.http.get('/user/streams').auth(jwt, { type: 'bearer' }).expect(200);
        service.clock.advance(2 * MINUTE);
        const late = await service.http.get('/user/streams').auth(jwt, { type: 'bearer' }).expect(401);
        expect(late.headers['www-authenticate']).to.equal('Bearer error="invalid_token"');
      });

    it('takes the email in any letter case and the password in any normal form', async () => {
      const { email } = await service.registerAndActivate({ password: 'Caf\u00e9-Noir-1' });
      await service.http
        .post('/user/login')
        .send({ email: email.toUpperCase(), password: 'Cafe\u0301-Noir-1' })
        .expect(200);
    });

    it('answers the same, byte for byte, to an unknown email, a wrong and a too long password', async () => {
      const anna = await service.registerAndActivate();
      const pending = await service.register();
      const attempts = [
        { email: 'nobody@listener.example', password: anna.password },
        { email: 'not an email', password: anna.password },
        { email: anna.email, password: 'Wrong-Horse-1' },
        { email: anna.email, password: anna.password + 'x'.repeat(100) },
        { email: pending.email, password: 'Wrong-Horse-1' },
      ];
      for (const attempt of attempts) {
        const response = await service.http.post('/user/login').send(attempt).expect(401);
        expect(response.text).to.equal(JSON.stringify(WRONG_CREDENTIALS));
        expect(response.headers['www-authenticate']).to.equal('Bearer');
      }
    });

    it('tells an account that awaits activation only after the right password', async () => {
      const anna = await service.register();
      const response = await service.http.post('/user/login').send(anna).expect(403);
      expect(response.body).to.deep.equal({ statusCode: 403, message: 'User not activated' });
    });

    it('refuses the 51st attempt after 50 failures in an hour, also with the right password', async () => {
      const anna = await service.registerAndActivate();
      for (let failure = 0; failure < 50; failure += 1)
        await service.http
          .post('/user/login')
          .send({ ...anna, password: 'Wrong-Horse-1' })
          .expect(401);
      const refused = await service.http.post('/user/login').send(anna).expect(429);
      expect(refused.text).to.equal('{"statusCode":429,"message":"ThrottlerException: Too Many Requests"}');
      expect(refused.headers['retry-after']).to.equal('3600');
      service.clock.advance(HOUR);
      await service.http.post('/user/login').send(anna).expect(200);
    });

    it('refuses wrong types and missing fields by name', async () => {
      const attempt = { email: 1, thirtyDaysLogin: 'true' };
      const response = await service.http.post('/user/login').send(attempt).expect(400);
      expect(response.body).to.deep.equal({
        statusCode: 400,
        message: 'email must be a string; password is required; thirtyDaysLogin must be a boolean.',
      });
    });

    it('answers 503 with Retry-After while too many passwords are being hashed', async () => {
      const busy = httpService({ bcrypt: { cost: 12, concurrency: 1, queueLength: 0 } });
      const attempt = { email: 'anna@listener.example', password: 'Wrong-Horse-1' };
      const attempts = Array.from({ length: 8 }, () => busy.http.post('/user/login').send(attempt));
      const responses = await Promise.all(attempts);
      const shed = responses.filter(({ status }) => status === 503);
      expect(shed).not.to.have.length(0);
      expect(responses.map(({ status }) => status)).to.include(401);
      for (const { body, headers } of shed) {
        expect(body).to.deep.equal({ statusCode: 503, message: 'Service Unavailable' });
        expect(headers['retry-after']).to.equal('1');
      }
    });
  });

  describe('POST /user/requestPasswordChange', () => {
    it('answers the same for a known, an unknown and an unactivated email, and mails those that exist', async () => {
      const anna = await service.registerAndActivate();
      const ben = await service.register();
      for (const email of [anna.email, 'nobody@listener.example', ben.email]) {
        const response = await service.http.post('/user/requestPasswordChange').send({ email }).expect(200);
        expect(response.text).to.equal('{"message":"forgetPassword.sendRequest"}');
      }
      await service.deliver();
      const resets = service.mailer.mails.filter(({ kind }) => kind === 'reset');
      expect(resets.map(({ to }) => to)).to.have.members([anna.email, ben.email]);
    });

    it('answers nobody before the fixed time, so that the time tells nothing', async () => {
      const anna = await service.registerAndActivate();
      for (const email of [anna.email, 'nobody@listener.example']) {
        const asked = performance.now();
        await service.http.post('/user/requestPasswordChange').send({ email }).expect(200);
        // A lower bound holds on any machine; a timer may fire a millisecond early.
        expect(performance.now() - asked).to.be.at.least(99);
      }
    });

    it('mails at most once a minute and answers 200 all the same', async () => {
      const { email } = await service.registerAndActivate();
      await service.http.post('/user/requestPasswordChange').send({ email }).expect(200);
      await service.http.post('/user/requestPasswordChange').send({ email }).expect(200);
      await service.deliver();
      expect(service.mailer.mails.filter(({ kind }) => kind === 'reset')).to.have.length(1);
    });

    for (const email of [
      'nobody',
      'a@b.example, c@d.example',
      'a@b.example\r\nBcc: c@d.example',
      '',
      7,
      null,
      undefined,
    ])
      it(`refuses the email ${JSON.stringify(email)}`, async () => {
        const response = await service.http.post('/user/requestPasswordChange').send({ email }).expect(400);
        expect(json<WireError>(response).message).to.match(/^email (is|must) [^;]+\.$/);
      });
  });

  describe('PUT /user/resetPassword/:token', () => {
    const aResetToken = async (email: string): Promise<string> => {
      await service.http.post('/user/requestPasswordChange').send({ email }).expect(200);
      await service.deliver();
      return service.mailer.token('reset', email);
    };

    it('sets the password, once, and tells the owner', async () => {
      const anna = await service.registerAndActivate();
      const token = await aResetToken(anna.email);
      const reset = await service.http
        .put(`/user/resetPassword/${token}`)
        .send({ password: 'Another-One-2' });
      expect(reset.status).to.equal(201);
      expect(reset.text).to.equal('{"message":"resetPassword.successful"}');
      await service.http.post('/user/login').send(anna).expect(401);
      await service.http
        .post('/user/login')
        .send({ ...anna, password: 'Another-One-2' })
        .expect(200);
      const again = await service.http
        .put(`/user/resetPassword/${token}`)
        .send({ password: 'Another-One-3' });
      expect(again.status).to.equal(400);
      expect(again.body).to.deep.equal(INVALID_TOKEN);
      await service.deliver();
      expect(service.mailer.mails.at(-1)).to.include({ kind: 'password-changed', to: anna.email });
    });

    it('activates an account whose first mail was lost', async () => {
      const anna = await service.register();
      const token = await aResetToken(anna.email);
      await service.http.put(`/user/resetPassword/${token}`).send({ password: 'Another-One-2' }).expect(201);
      await service.http
        .post('/user/login')
        .send({ ...anna, password: 'Another-One-2' })
        .expect(200);
    });

    it('does not use the token up for a refused password', async () => {
      const anna = await service.registerAndActivate();
      const token = await aResetToken(anna.email);
      const weak = await service.http
        .put(`/user/resetPassword/${token}`)
        .send({ password: 'weak' })
        .expect(400);
      expect(json<WireError>(weak).message).to.match(/^password must be at least 8 characters long, .*\.$/);
      await service.http.put(`/user/resetPassword/${token}`).send({ password: 'Another-One-2' }).expect(201);
    });

    it('refuses an expired token and an activation token', async () => {
      const anna = await service.registerAndActivate();
      const ben = await service.register();
      const expired = await aResetToken(anna.email);
      service.clock.advance(HOUR);
      for (const token of [expired, service.mailer.token('activation', ben.email)]) {
        const response = await service.http
          .put(`/user/resetPassword/${token}`)
          .send({ password: 'Another-One-2' });
        expect(response.status).to.equal(400);
        expect(response.body).to.deep.equal(INVALID_TOKEN);
      }
    });
  });

  describe('GET /user/streams', () => {
    it('lists the streams of the caller’s organizations, active or not, with UUID and state', async () => {
      const anna = await service.registerAndActivate();
      const hers = await service.addOrganization({ name: 'Hers', isPublic: false });
      const others = await service.addOrganization();
      await service.addStream(others);
      const stream = await service.addStream(hers, {
        name: 'Jazz',
        url: 'https://hers.example/jazz',
        tags: [],
      });
      await service.organizations.addMember(hers, anna.email as never);
      const jwt = await service.logIn(anna);
      const response = await service.http.get('/user/streams').auth(jwt, { type: 'bearer' }).expect(200);
      expect(response.headers['cache-control']).to.equal('no-store');
      expect(Object.keys(json<WireStream[]>(response)[0] ?? {})).to.deep.equal([
        ...['id', 'name', 'url', 'tags', 'organization', 'song'],
        ...['isStreamOfTheMonth', 'isNewcomerOfTheMonth', 'isRecentPopularStream', 'isTopVotedStream'],
        ...['uuid', 'isActive'],
      ]);
      expect(response.body).to.have.length(1);
      expect(json<WireStream[]>(response)[0]).to.include({
        id: stream.id,
        uuid: stream.uuid,
        isActive: false,
        name: 'Jazz',
      });
    });

    it('asks for credentials', async () => {
      const none = await service.http.get('/user/streams').expect(401);
      expect(none.body).to.deep.equal({ statusCode: 401, message: 'Unauthorized' });
      expect(none.headers['www-authenticate']).to.equal('Bearer');
      await service.http.get('/user/streams').auth('nonsense', { type: 'bearer' }).expect(401);
    });
  });
});
