import { expect } from 'chai';
import { BcryptPasswordHasher } from '../../src/adapters/node/bcrypt-password-hasher.js';
import type { PasswordHash } from '../../src/domain/account.js';
import { PlainPassword } from '../../src/domain/credentials.js';
import { must } from '../support/builders.js';

const COST = 4;
const quick = () => new BcryptPasswordHasher({ cost: COST });
const OVERLOADED = { ok: false, error: { kind: 'overloaded' } };

async function matches(stored: string, tried: string): Promise<boolean> {
  const hasher = quick();
  const hash = must(await hasher.hash(must(PlainPassword.parse(stored))));
  return must(await hasher.matches(PlainPassword.attempt(tried), hash));
}

/** Counts how often the event loop turns while `work` is under way. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await work.finally(() => clearInterval(timer));
  return turns;
}

describe('BcryptPasswordHasher', () => {
  it('recognises the password and no other', async () => {
    expect(await matches('Correct-horse1', 'Correct-horse1')).to.equal(true);
    expect(await matches('Correct-horse1', 'correct-horse1')).to.equal(false);
    expect(await matches('Correct-horse1', '')).to.equal(false);
  });

  it('hashes with cost 12 unless told otherwise, and with a fresh salt each time', async () => {
    const password = PlainPassword.attempt('Correct-horse1');
    expect(must(await new BcryptPasswordHasher().hash(password))).to.match(/^\$2b\$12\$.{53}$/);
    const hasher = quick();
    const one = must(await hasher.hash(password));
    const other = must(await hasher.hash(password));
    expect(one)
      .to.match(/^\$2b\$04\$/)
      .and.not.to.equal(other);
  });

  it('takes the composed and the decomposed spelling for one password', async () => {
    expect(await matches('Pässwört1!'.normalize('NFC'), 'Pässwört1!'.normalize('NFD'))).to.equal(true);
    expect(await matches('Pässwört1!'.normalize('NFD'), 'Pässwört1!'.normalize('NFC'))).to.equal(true);
  });

  for (const [what, longest] of Object.entries({
    'ASCII letters': 'A1!' + 'a'.repeat(69),
    'letters of two bytes': 'A1!a' + 'ä'.repeat(34),
    'emoji of four bytes': 'A1!a' + '🎵'.repeat(17),
  }))
    it(`reads all 72 bytes of ${what}, and none beyond`, async () => {
      expect(Buffer.byteLength(longest)).to.equal(72);
      const shorter = [...longest].slice(0, -1).join('');

      expect(await matches(longest, longest)).to.equal(true);
      expect(await matches(longest, shorter), 'one character less').to.equal(false);
      expect(await matches(longest, shorter + '~'), 'another end').to.equal(false);
      expect(await matches(longest, longest + 'x'), '73 bytes').to.equal(false);
      expect(await matches(longest, longest + '\u0000'), 'U+0000 at the end').to.equal(false);
    });

  it('does not stop reading at U+0000', async () => {
    expect(await matches('Correct-1', 'Correct-1\u0000more')).to.equal(false);
  });

  it('hashes no text that it would have to cut', async () => {
    const hasher = quick();
    for (const text of ['A1!' + 'a'.repeat(70), 'Correct-1\u0000', 'Correct-1\ud800']) {
      const refused = await hasher.hash(PlainPassword.attempt(text)).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(Error);
    }
  });

  it('matches nothing for an unknown account', async () => {
    const hasher = quick();
    for (const text of ['', 'Correct-horse1', 'a'.repeat(10_000), '\u0000', '\ud800'])
      expect(must(await hasher.matches(PlainPassword.attempt(text), null))).to.equal(false);
  });

  it('works as hard for an unknown account as for a known one', async () => {
    const known = must(await quick().hash(PlainPassword.attempt('Correct-horse1')));
    const hasher = new BcryptPasswordHasher({ cost: 12, concurrency: 2 });
    const finished: string[] = [];
    const tried = PlainPassword.attempt('Correct-horse1');

    await Promise.all([
      hasher.matches(tried, null).then(() => finished.push('unknown, cost 12')),
      hasher.matches(tried, known).then(() => finished.push('known, cost 4')),
    ]);

    expect(finished, 'a comparison of 256 times less work').to.deep.equal([
      'known, cost 4',
      'unknown, cost 12',
    ]);
  });

  it('leaves the event loop free while it works', async () => {
    const hasher = new BcryptPasswordHasher({ cost: 11 });
    const password = PlainPassword.attempt('Correct-horse1');

    expect(await turnsDuring(hasher.hash(password))).to.be.above(0);
    expect(await turnsDuring(hasher.matches(password, null))).to.be.above(0);
  });

  it('refuses at once what neither runs nor fits into the queue, and serves the rest', async () => {
    const hasher = new BcryptPasswordHasher({ cost: COST, concurrency: 2, queueLength: 3 });
    const password = PlainPassword.attempt('Correct-horse1');
    const settled: string[] = [];

    const calls = Array.from({ length: 8 }, (_, number) =>
      (number % 2 === 0 ? hasher.hash(password) : hasher.matches(password, null)).then((answer) => {
        settled.push(answer.ok ? 'served' : 'refused');
        return answer;
      }),
    );
    const answers = await Promise.all(calls);

    expect(answers.filter((answer) => answer.ok)).to.have.length(5);
    for (const answer of answers.slice(5)) expect(answer).to.deep.equal(OVERLOADED);
    expect(settled.slice(0, 3), 'refusals do not wait').to.deep.equal(['refused', 'refused', 'refused']);
  });

  it('is free again once the queue is worked off, also after failures', async () => {
    const hasher = new BcryptPasswordHasher({ cost: COST, concurrency: 1, queueLength: 0 });
    const password = PlainPassword.attempt('Correct-horse1');
    const broken = 5 as unknown as PasswordHash;

    const first = hasher.hash(password);
    expect(await hasher.matches(password, null)).to.deep.equal(OVERLOADED);
    const hash = must(await first);

    expect(must(await hasher.matches(password, hash))).to.equal(true);
    const failure = await hasher.matches(password, broken).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    expect(must(await hasher.matches(password, hash))).to.equal(true);
  });
});
