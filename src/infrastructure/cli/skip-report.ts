import { closeSync, openSync, writeSync } from 'node:fs';
import type { SkippedRow } from '../../application/import-stations.js';
import { cell } from '../../adapters/station-lists/csv.js';
import { type Result, err, ok } from '../../domain/result.js';

/** A file that says of every skipped row why: CSV if its name ends so, else one JSON object a line. */
export class SkipReport {
  #pending = '';

  private constructor(
    private readonly descriptor: number,
    private readonly line: (skipped: SkippedRow) => string,
  ) {}

  static create(file: string): Result<SkipReport, string> {
    try {
      const descriptor = openSync(file, 'w');
      const isCsv = /\.csv$/i.test(file);
      const report = new SkipReport(descriptor, isCsv ? csvLine : jsonLine);
      if (isCsv) report.#pending = 'row,reason\r\n';
      return ok(report);
    } catch (error) {
      return err(`The report cannot be written: ${error instanceof Error ? error.message : String(error)}.`);
    }
  }

  add(skipped: SkippedRow): void {
    this.#pending += this.line(skipped);
    if (this.#pending.length > 65_536) this.#flush();
  }

  close(): void {
    this.#flush();
    closeSync(this.descriptor);
  }

  #flush(): void {
    writeSync(this.descriptor, this.#pending);
    this.#pending = '';
  }
}

function jsonLine({ row, reason }: SkippedRow): string {
  return `${JSON.stringify({ row, reason })}\n`;
}

function csvLine({ row, reason }: SkippedRow): string {
  return `${row},${cell(reason)}\r\n`;
}
