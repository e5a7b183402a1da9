import { expect } from 'chai';
import fc from 'fast-check';
import { type ComposedMail, composeMail } from '../../src/adapters/smtp/mail-messages.js';
import type { Mail } from '../../src/application/ports/mailer.js';
import type { MailKind } from '../../src/domain/account.js';
import { PlainPassword, parseUsername } from '../../src/domain/credentials.js';
import { anEmail, aUsername } from '../support/builders.js';

const TOKEN = 'A-token_of-43-characters-0123456789-abcdefg';
const ORIGIN = { from: 'Radio <radio@radio.example>', publicUrl: 'http://localhost:3000' };

function compose(kind: MailKind, overrides: Partial<Mail> = {}, origin = ORIGIN) {
  const token = kind === 'password-changed' ? null : TOKEN;
  const to = anEmail('anna@listeners.example');
  return composeMail({ id: 'mail-1', kind, to, username: aUsername('Anna'), token, ...overrides }, origin);
}
const headersOf = (mail: ComposedMail) => ({ ...mail, text: 'body', html: 'body' });
const unescaped = (html: string) =>
  html.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');

describe('The mails', () => {
  const COMMANDS: Record<MailKind, string[]> = {
    activation: [
      `curl -X POST http://localhost:3000/user/activate/${TOKEN}`,
      `curl -X DELETE http://localhost:3000/user/verify/${TOKEN}`,
    ],
    reset: [
      `curl -X PUT http://localhost:3000/user/resetPassword/${TOKEN} -H 'Content-Type: application/json' -d '{"password":"NEW PASSWORD"}'`,
    ],
    'password-changed': [
      `curl -X POST http://localhost:3000/user/requestPasswordChange -H 'Content-Type: application/json' -d '{"email":"YOUR EMAIL ADDRESS"}'`,
    ],
  };
  for (const kind of Object.keys(COMMANDS) as MailKind[])
    it(`of the kind ${kind} say the same in text and HTML, with commands to paste`, () => {
      const { text, html } = compose(kind);
      expect(text).to.match(/^Hello Anna,\n\n/);
      expect(html).to.contain('>Hello Anna,<');
      for (const command of COMMANDS[kind]) {
        expect(text.split('\n')).to.include(`  ${command}`);
        expect(unescaped(html)).to.contain(`>${command}</pre>`);
      }
    });

  it('link to where a token is used, and say how long it is valid', () => {
    const activation = compose('activation');
    expect(activation.text.split('\n')).to.include(`  http://localhost:3000/user/activate/${TOKEN}`);
    expect(activation.html).to.contain(`<a href="http://localhost:3000/user/activate/${TOKEN}"`);
    expect(activation.text).to.contain('valid for 24 hours');
    const reset = compose('reset');
    expect(reset.text.split('\n')).to.include(`  http://localhost:3000/user/resetPassword/${TOKEN}`);
    expect(reset.html).to.contain(`<a href="http://localhost:3000/user/resetPassword/${TOKEN}"`);
    expect(reset.text).to.contain('valid for 1 hour ');
  });

  it('have a subject per kind', () => {
    expect(compose('activation').subject).to.equal('Activate your account');
    expect(compose('reset').subject).to.equal('Choose a new password');
    expect(compose('password-changed').subject).to.equal('Your password was changed');
  });

  it('offer a placeholder that is no password, so that nobody sets it by accident', () => {
    expect(PlainPassword.parse('NEW PASSWORD').ok).to.equal(false);
  });

  it('keep the path of the public URL and one slash at its end', () => {
    for (const publicUrl of ['https://radio.example/api', 'https://radio.example/api//'])
      expect(compose('activation', {}, { ...ORIGIN, publicUrl }).text).to.contain(
        ` https://radio.example/api/user/activate/${TOKEN}\n`,
      );
  });

  it('escape a name in HTML and leave it as it is in text', () => {
    const username = aUsername(`<img src=x onerror="alert('1')"> & co`);
    const { text, html } = compose('activation', { username });
    expect(text).to.contain(`Hello ${username},`);
    expect(html).to.contain('Hello &lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; co,');
    expect(html).not.to.contain('<img');
  });

  it('do not repeat a name that a mail program would turn into a link', () => {
    for (const name of ['http://evil.example', 'Free money at evil.example/x', 'www.evil', 'a.рф']) {
      const { text, html } = compose('activation', { username: aUsername(name) });
      expect(text)
        .to.match(/^Hello,\n/)
        .and.not.to.contain('evil');
      expect(html).to.contain('>Hello,<').and.not.to.contain('evil');
    }
    expect(compose('activation', { username: aUsername('J. R. Smith Jr.') }).text).to.contain(
      'J. R. Smith Jr.',
    );
  });

  it('put nothing that a user chose into a header but the address', () => {
    const names = fc.string({ unit: 'binary', minLength: 1, maxLength: 64 });
    fc.assert(
      fc.property(names, fc.constantFrom<MailKind>('activation', 'reset'), (raw, kind) => {
        const username = parseUsername(raw);
        fc.pre(username.ok);
        expect(headersOf(compose(kind, { username: username.value }))).to.deep.equal(
          headersOf(compose(kind)),
        );
      }),
    );
  });

  it('cannot be written without the token that they are about', () => {
    for (const kind of ['activation', 'reset'] as const)
      expect(() => compose(kind, { token: null })).to.throw('needs a token');
  });
});
