import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { ask } from '../../src/infrastructure/cli/ask.js';

describe('A question at the terminal', () => {
  const answered = async (keys: string | null) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const answer = ask('Remove it? [y/N] ', input, output);
    if (keys === null) input.end();
    else input.write(keys);
    return { answer: await answer, shown: String(output.read()) };
  };

  it('is shown, and answered by a line', async () => {
    const { answer, shown } = await answered('yes\r');
    expect(answer).to.equal('yes');
    expect(shown).to.include('Remove it? [y/N] ');
  });

  for (const [what, keys] of [
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
    ['Ctrl-C after half an answer', 'ye\u0003'],
    ['the end of the input', null],
  ] as const)
    it(`is answered by nothing at ${what}`, async () => {
      expect((await answered(keys)).answer).to.equal('');
    });
});
