import { createInterface } from 'node:readline';

/** Puts a question to a terminal. An end of input (Ctrl-D) and Ctrl-C are the empty answer. */
export function ask(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<string> {
  // Of the promises' flavour, a question that Ctrl-C ends rejects, and one that a closed input ends never settles.
  const lines = createInterface({ input, output, terminal: true });
  return new Promise((resolve) => {
    lines.once('close', () => {
      output.write('\n');
      resolve('');
    });
    lines.question(question, (answer) => {
      resolve(answer);
      lines.removeAllListeners('close').close();
    });
  });
}
