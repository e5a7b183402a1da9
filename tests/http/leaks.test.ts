import { expect } from 'chai';
import { leaksIn } from '../support/leaks.js';

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

  it('finds nothing where there is nothing', () => {
    expect(leaksIn(JSON.stringify({ msg: 'request', path: '/user/login' }), [SECRET])).to.deep.equal([]);
  });
});
