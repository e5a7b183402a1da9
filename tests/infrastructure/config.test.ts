import { isAbsolute } from 'node:path';
import { expect } from 'chai';
import { ConfigurationError, loadConfig } from '../../src/infrastructure/config.js';

const SECRET = '0123456789abcdef0123456789abcdef';

/** [variable, values that are allowed, values that are not] */
const VALUES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['PORT', ['0', '3000', '65535'], ['-1', '65536', 'x', '3000.5']],
  ['HOST', ['0.0.0.0', '::', 'localhost', 'radio.example.com'], ['not a host', 'http://x']],
  ['MANAGEMENT_PORT', ['', '0', '9000'], ['x', '70000']],
  ['DRAIN_MS', ['', '0', '600000'], ['-1', '600001', '1.5', '5s']],
  [
    'DATABASE_URL',
    [
      ...['memory:', 'postgres://u:p@db:5432/x', 'postgres:///x'],
      ...['postgresql:///x?host=/run/postgresql', 'postgresql://?host=/run/postgresql'],
    ],
    ['mysql://db/x', 'db', 'memory', 'postgres:', 'postgres://', 'postgres:db/x'],
  ],
  [
    'REDIS_URL',
    ['redis://a:6379', 'rediss://:p@a:6380', 'redis://a:1, redis://b:2'],
    ['http://a', 'a:6379', 'redis://a,nonsense', ',', 'redis://', 'redis://a,rediss://b'],
  ],
  ['SMTP_URL', ['smtp://mail', 'smtps://u:p@mail:465'], ['mail', 'http://mail', 'smtp://', 'smtp:']],
  ['MAIL_FROM', ['radio@example.com', 'Radio <radio@example.com>'], ['radio', 'a@b, c@d', 'a@b\r\nBcc: c@d']],
  [
    'PUBLIC_URL',
    ['https://radio.example.com/', 'http://localhost:3000'],
    ['radio.example.com', 'ftp://x', 'https://radio.example.com/?a=b', 'https://radio.example.com/#a'],
  ],
  ['JWT_SECRETS', [SECRET, `${SECRET},${SECRET}1`], ['short', `${SECRET},short`, ',']],
  [
    'TRUST_PROXY',
    ['off', 'true', '1', 'loopback', '10.0.0.0/8, 192.168.1.1'],
    ['everybody', '10.0.0.0/99', ','],
  ],
  ['RATE_LIMITS', ['on', 'off'], ['true', '1']],
  ['LOG_LEVEL', ['info', 'silent', 'trace'], ['loud']],
  ['SAMPLE_DATA', ['on', 'off'], ['yes']],
];

describe('The configuration', () => {
  for (const [name, allowed, refused] of VALUES) {
    for (const value of allowed) it(`takes ${name}=${value}`, () => void loadConfig({ [name]: value }));

    for (const value of refused)
      it(`refuses ${name}=${JSON.stringify(value)} and says what is allowed`, () => {
        expect(() => loadConfig({ [name]: value })).to.throw(
          ConfigurationError,
          new RegExp(`${name} must be .{10}`),
        );
      });
  }

  it('lists every mistake at once, and never a value', () => {
    const wrong = Object.fromEntries(VALUES.map(([name]) => [name, 'p4ssw0rd wrong']));
    try {
      loadConfig(wrong);
      expect.fail('accepted');
    } catch (error) {
      expect(error).to.be.instanceOf(ConfigurationError);
      const { mistakes, message } = error as ConfigurationError;
      expect(mistakes).to.have.length(VALUES.length);
      expect(message).to.not.include('p4ssw0rd');
    }
  });

  it('needs JWT_SECRETS in production', () => {
    expect(() => loadConfig({ NODE_ENV: 'production' })).to.throw(/JWT_SECRETS is required/);
    expect(loadConfig({ NODE_ENV: 'production', JWT_SECRETS: SECRET }).jwtSecrets).to.deep.equal([SECRET]);
  });

  it('needs a primary beside a replica', () => {
    const replica = { DATABASE_REPLICA_URL: 'postgres://replica/x' };
    expect(() => loadConfig(replica)).to.throw(/DATABASE_URL of the primary/);
    const { database } = loadConfig({ ...replica, DATABASE_URL: 'postgres://primary/x' });
    expect(database).to.deep.equal({
      kind: 'postgres',
      url: 'postgres://primary/x',
      replicaUrl: 'postgres://replica/x',
    });
  });

  it('sees whether there is a primary as it reads it, without the space around it', () => {
    const replica = { DATABASE_REPLICA_URL: 'postgres://replica/x' };
    loadConfig({ ...replica, DATABASE_URL: ' postgres://primary/x' });
    expect(() => loadConfig({ ...replica, DATABASE_URL: 'memory:' })).to.throw(/DATABASE_URL of the primary/);
  });

  for (const [host, managementHost] of [
    ['0.0.0.0', '127.0.0.1'],
    ['10.0.0.1', '0.0.0.0'],
    ['10.0.0.1', '::'],
    ['radio.example', 'RADIO.example'],
    ['localhost', '127.0.0.1'],
    ['::1', 'localhost'],
  ] as const)
    it(`refuses one port for both listeners on ${host} and ${managementHost}`, () => {
      const hosts = { HOST: host, MANAGEMENT_HOST: managementHost };
      expect(() => loadConfig({ ...hosts, PORT: '9000' })).to.throw(
        ConfigurationError,
        /MANAGEMENT_PORT must be another port than PORT/,
      );
      for (const port of ['0', '9001']) loadConfig({ ...hosts, PORT: port, MANAGEMENT_PORT: '0' });
      loadConfig({ ...hosts, PORT: '9000', MANAGEMENT_PORT: '' });
    });

  it('takes one port for both listeners on addresses that have nothing in common', () => {
    for (const [host, managementHost] of [
      ['10.0.0.1', '127.0.0.1'],
      ['0.0.0.0', '::1'],
      ['127.0.0.1', '::1'],
    ])
      loadConfig({ HOST: host, MANAGEMENT_HOST: managementHost, PORT: '9000', MANAGEMENT_PORT: '9000' });
  });

  it('has the defaults of the contract', () => {
    const config = loadConfig({});
    expect(config).to.deep.include({
      host: '0.0.0.0',
      port: 3000,
      management: { host: '127.0.0.1', port: 9000 },
      drainMilliseconds: 5_000,
      database: { kind: 'embedded' },
      redisUrls: [],
      smtpUrl: null,
      mailFrom: 'Radio Directory <radio-directory@localhost>',
      publicUrl: 'http://localhost:3000',
      jwtSecrets: null,
      trustProxy: false,
      rateLimits: true,
      logLevel: 'info',
      sampleData: 'when-new',
    });
    expect(isAbsolute(config.dataDir)).to.equal(true);
  });

  it('sends mails from where they lead to, and leads there without a final slash', () => {
    expect(loadConfig({ PUBLIC_URL: 'https://radio.example.com/api//' })).to.deep.include({
      publicUrl: 'https://radio.example.com/api',
      mailFrom: 'Radio Directory <radio-directory@radio.example.com>',
    });
  });

  it('treats an empty variable as unset, but for the management port, which it switches off', () => {
    expect(loadConfig({ PORT: '', REDIS_URL: '', MANAGEMENT_PORT: '' })).to.deep.include({
      port: 3000,
      redisUrls: [],
      management: null,
    });
  });
});
