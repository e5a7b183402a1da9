import { expect } from 'chai';

/** What Prometheus reads from one scrape. */
export class Exposition {
  readonly #values = new Map<string, number>();
  readonly series: readonly { readonly name: string; readonly labels: Readonly<Record<string, string>> }[];

  constructor(text: string) {
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    this.series = lines.map((line) => {
      const [, name = '', list = '', value = ''] =
        /^([a-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? expect.fail(`No sample: ${line}`);
      const labels = Object.fromEntries(
        [...list.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text = '']) => [label, text]),
      );
      const number = Number(value.replace(/^([+-])Inf$/, '$1Infinity'));
      const key = keyOf(name, labels);
      if (this.#values.has(key)) expect.fail(`Twice in one scrape: ${line}`);
      this.#values.set(key, number);
      return { name, labels };
    });
  }

  /** 0 for a series that is not there, as in a sum. The prefix of our own metrics may be left out. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.#values.get(keyOf(name, labels)) ?? 0;
  }
}

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1));
  return name.replace(/^radio_directory_/, '') + JSON.stringify(sorted);
}
