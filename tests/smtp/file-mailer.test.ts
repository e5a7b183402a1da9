import { expect } from 'chai';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { FileMailer, type WrittenMail } from '../../src/adapters/smtp/file-mailer.js';
import type { Mail } from '../../src/application/ports/mailer.js';
import { anEmail, aUsername } from '../support/builders.js';

const TOKEN = 'A-token_of-43-characters-0123456789-abcdefg';

function aMail(overrides: Partial<Mail> = {}): Mail {
  const to = anEmail('anna@listeners.example');
  return { id: 'mail-1', kind: 'activation', to, username: aUsername('Änna'), token: TOKEN, ...overrides };
}

describe('FileMailer', () => {
  let base: string;
  let folder: string;
  let announced: WrittenMail[];
  let mailer: FileMailer;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'file-mailer-'));
    folder = join(base, 'data', 'mail');
    announced = [];
    mailer = new FileMailer({
      folder,
      from: 'radio@localhost',
      publicUrl: 'http://localhost:3000',
      announce: (written) => announced.push(written),
    });
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const parsed = (name: string) => PostalMime.parse(readFileSync(join(folder, name)));

  it('writes a whole mail with both parts', async () => {
    await mailer.send(aMail());

    expect(readdirSync(folder)).to.deep.equal(['mail-1.eml']);
    const mail = await parsed('mail-1.eml');
    expect(mail.to).to.have.length(1);
    expect(mail.to?.[0]).to.deep.include({ address: 'anna@listeners.example' });
    expect(mail.messageId).to.equal('<mail-1@localhost>');
    expect(mail.subject).to.equal('Activate your account');
    expect(mail.text).to.contain('Hello Änna,').and.to.contain(`/user/activate/${TOKEN}`);
    expect(mail.html).to.contain('Hello Änna,').and.to.contain(`/user/activate/${TOKEN}`);
  });

  it('keeps links and commands in one piece, for those who open the file in an editor', async () => {
    await mailer.send(aMail());
    const lines = readFileSync(join(folder, 'mail-1.eml'), 'utf8').split('\n');
    expect(lines).to.include(`  http://localhost:3000/user/activate/${TOKEN}`);
    expect(lines).to.include(`  curl -X POST http://localhost:3000/user/activate/${TOKEN}`);
  });

  it('lets nobody but the owner of the service read it', async () => {
    await mailer.send(aMail());
    expect(statSync(join(folder, 'mail-1.eml')).mode & 0o777).to.equal(0o600);
    expect(statSync(folder).mode & 0o777).to.equal(0o700);
  });

  it('announces file, kind and recipient once the file is there, and never the token', async () => {
    const seen: string[] = [];
    const watching = new FileMailer({
      folder,
      from: 'radio@localhost',
      publicUrl: 'http://localhost:3000',
      announce: (written) => seen.push(JSON.stringify(written), readFileSync(written.file, 'utf8')),
    });

    await watching.send(aMail());

    const expected = { file: join(folder, 'mail-1.eml'), kind: 'activation', to: 'anna@listeners.example' };
    expect(JSON.parse(seen[0] ?? '')).to.deep.equal(expected);
    expect(seen[0]).not.to.contain(TOKEN);
    expect(seen[1]).to.contain(TOKEN);
  });

  it('replaces the file when the same mail is sent again', async () => {
    await mailer.send(aMail());
    await mailer.send(aMail({ token: 'the-second-token' }));

    expect(readdirSync(folder)).to.deep.equal(['mail-1.eml']);
    const { text } = await parsed('mail-1.eml');
    expect(text).to.contain('/user/activate/the-second-token').and.not.to.contain(TOKEN);
  });

  it('leaves one whole mail when the same mail is sent at the same time', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, number) => mailer.send(aMail({ token: `token-${number}` }))),
    );

    expect(readdirSync(folder)).to.deep.equal(['mail-1.eml']);
    const mail = await parsed('mail-1.eml');
    const token = /activate\/(token-\d+)/.exec(mail.text ?? '')?.[1];
    expect(mail.html).to.contain(`/user/verify/${token}<`);
  });

  it('creates the folder again when somebody removed it', async () => {
    await mailer.send(aMail());
    rmSync(folder, { recursive: true });
    await mailer.send(aMail({ id: 'mail-2' }));
    expect(readdirSync(folder)).to.deep.equal(['mail-2.eml']);
  });

  it('rejects, announces nothing and leaves nothing behind when the file cannot be written', async () => {
    mkdirSync(join(folder, 'mail-1.eml', 'in the way'), { recursive: true });

    const failure: unknown = await mailer.send(aMail()).catch((error: unknown) => error);

    expect(failure).to.be.instanceOf(Error);
    expect(announced).to.deep.equal([]);
    expect(readdirSync(folder)).to.deep.equal(['mail-1.eml']);
  });

  it('takes no id that would lead out of the folder', async () => {
    for (const id of ['../mail-1', 'a/b', '..', '', 'a\u0000b']) {
      const failure: unknown = await mailer.send(aMail({ id })).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(Error);
    }
    expect(announced).to.deep.equal([]);
  });
});
