import { expect } from 'chai';
import { leaksByShapeIn, leaksIn } from '../support/leaks.js';

const SECRET = 'Sunny/"Day"+2026ß';

describe('The watch on logs and refusals', () => {
  const bytes = Buffer.from(SECRET);
  const PLANTED = {
    'as it is': `{"msg":"login of ${SECRET}"}`,
    'in JSON': JSON.stringify({ body: { password: SECRET } }),
    'in JSON in JSON': JSON.stringify({ body: JSON.stringify({ password: SECRET }) }),
    'in a URL': `GET /user/activate/${encodeURIComponent(SECRET)}`,
    'in hexadecimal': bytes.toString('hex'),
    'in base64': bytes.toString('base64'),
    'in base64url': bytes.toString('base64url'),
    ...Object.fromEntries(
      ['', 'a', 'an', 'ann', 'anna'].map((user) => [
        `in the Basic credentials of '${user}'`,
        `Basic ${Buffer.from(`${user}:${SECRET}\n`).toString('base64')}`,
      ]),
    ),
  };
  for (const [how, text] of Object.entries(PLANTED))
    it(`finds a secret ${how}`, () => {
      expect(leaksIn(`before ${text} after`, ['another secret', SECRET])).to.have.length(1);
    });

  for (const secret of [
    `$2b$12$${'aB1./'.repeat(10)}xyz`,
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    `rdo_${'aB1_-'.repeat(8)}xyz`,
    'anna@listener.example',
  ])
    it(`finds by its shape ${secret}`, () => {
      expect(leaksByShapeIn(`{"msg":"Failing row contains (1, ${secret})"}`)).to.have.length(1);
    });

  it('finds nothing where there is nothing', () => {
    const harmless = '{"address":"::1","stack":"at /node_modules/@electric-sql/pglite/dist/index.js:1:2"}';
    expect(leaksByShapeIn(harmless)).to.deep.equal([]);
    expect(leaksIn(JSON.stringify({ msg: 'request', path: '/user/login' }), [SECRET])).to.deep.equal([]);
  });
});
