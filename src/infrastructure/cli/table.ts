import { oneLine } from '../../domain/text.js';

const GAP = '  ';
const SHORTEST = 8;

/** Rows under their headings, in lines of at most `columns`: the widest columns give way. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number,
): string {
  const cells = [headings, ...rows].map((row) => row.map(oneLine));
  const widths = fitted(
    headings.map((_, column) => Math.max(...cells.map((row) => displayWidth(row[column] ?? '')))),
    columns,
  );
  const line = (row: readonly string[]) =>
    row.map((cell, column) => padded(shortened(cell, widths[column] ?? 0), widths[column] ?? 0)).join(GAP);
  return cells.map((row) => `${line(row).trimEnd()}\n`).join('');
}

/** One thing: a label and a value a line. Values are never cut. */
export function labelled(values: readonly (readonly [label: string, value: string])[]): string {
  const width = Math.max(...values.map(([label]) => displayWidth(label)));
  return values
    .map(([label, value]) => `${`${padded(label, width)}${GAP}${oneLine(value)}`.trimEnd()}\n`)
    .join('');
}

function fitted(widths: readonly number[], columns: number): number[] {
  const room = columns - GAP.length * (widths.length - 1);
  const fitting = [...widths];
  for (let excess = sum(fitting) - room; excess > 0; excess = sum(fitting) - room) {
    const widest = Math.max(...fitting);
    if (widest <= SHORTEST) break;
    fitting[fitting.indexOf(widest)] = Math.max(SHORTEST, widest - 1);
  }
  return fitting;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** At most `width` columns; what was cut is marked by an ellipsis. */
function shortened(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let short = '';
  let used = 0;
  for (const character of text) {
    used += displayWidth(character);
    if (used >= width) break;
    short += character;
  }
  return `${short}…`;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** Columns that a text takes on a terminal: none for combining marks, two for CJK and emoji. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text)
    if (!/[\p{Mn}\p{Me}\p{Cf}]/u.test(character)) width += WIDE.test(character) ? 2 : 1;
  return width;
}
