import type { StreamId } from '../domain/ids.js';
import { type AudioFinding, type StreamCheck, checked, isBroken } from '../domain/stream-check.js';
import type { AudioProbe } from './ports/audio-probe.js';
import type { BulkDirectory, StreamRecord } from './ports/bulk-directory.js';
import type { Clock } from './ports/clock.js';
import type { StoredStream } from './ports/organization-repository.js';
import type { StreamChecks } from './ports/stream-checks.js';

/** A stream with what was just found at its address. */
export interface CheckedStream {
  readonly stream: StoredStream;
  readonly check: StreamCheck;
}

export interface CheckOptions {
  /** Addresses asked at the same time. */
  readonly concurrency: number;
  /** Called for every stream, in the order in which they end. */
  readonly onChecked?: ((checked: CheckedStream) => void) | undefined;
  /** Asked before every probe; true: no further address is asked. */
  readonly isStopped?: (() => boolean) | undefined;
}

export interface CheckSummary {
  readonly checked: number;
  readonly answering: number;
  readonly broken: number;
}

/** Thousands of streams may be on one host, which would take more for an attack. */
export const MAX_PROBES_PER_HOST = 2;
const PAGE = 500;
/** Streams that wait for a busy host and let others pass. */
const WAITING_ROOM = 1_000;
/** Results in memory before they are stored. */
const UNSTORED = 50;

/** Asks streams for audio, and remembers the answers. */
export class CheckStreams {
  constructor(
    private readonly bulk: BulkDirectory,
    private readonly checks: StreamChecks,
    private readonly probe: AudioProbe,
    private readonly clock: Clock,
  ) {}

  /** @param streams which; the whole directory needs `all` */
  async execute(streams: readonly StoredStream[] | 'all', options: CheckOptions): Promise<CheckSummary> {
    const source = streams === 'all' ? this.#all() : streams;
    const summary = { checked: 0, answering: 0, broken: 0 };
    let unstored: { stream: StoredStream; finding: AudioFinding }[] = [];
    const store = async () => {
      const findings = unstored;
      unstored = [];
      for (const one of await this.#store(findings)) {
        summary.checked += 1;
        summary[isBroken(one.check) ? 'broken' : 'answering'] += 1;
        options.onChecked?.(one);
      }
    };
    const ask = async (stream: StoredStream) => {
      const finding = await this.probe.probe(stream.url);
      unstored.push({ stream, finding });
      if (unstored.length >= UNSTORED) await store();
    };
    await politely(source, ask, options);
    await store();
    return summary;
  }

  async *#all(): AsyncGenerator<StreamRecord> {
    let page = await this.bulk.listStreams(0, PAGE);
    for (let last = page.at(-1); last; last = page.at(-1)) {
      yield* page;
      page = await this.bulk.listStreams(last.id, PAGE);
    }
  }

  async #store(
    findings: readonly { stream: StoredStream; finding: AudioFinding }[],
  ): Promise<readonly CheckedStream[]> {
    if (findings.length === 0) return [];
    const before = await this.checks.of(findings.map(({ stream }) => stream.id));
    const now = this.clock.now();
    const results = findings.map(({ stream, finding }) => ({
      stream,
      check: checked(before.get(stream.id) ?? null, finding, now),
    }));
    await this.checks.put(
      new Map<StreamId, StreamCheck>(results.map(({ stream, check }) => [stream.id, check])),
    );
    return results;
  }
}

/** Runs `ask` for all streams: at most `concurrency` at once, and at most {@link MAX_PROBES_PER_HOST} on one host. */
async function politely(
  streams: Iterable<StoredStream> | AsyncIterable<StoredStream>,
  ask: (stream: StoredStream) => Promise<void>,
  { concurrency, isStopped = () => false }: CheckOptions,
): Promise<void> {
  const waiting: { readonly stream: StoredStream; readonly host: string }[] = [];
  const running = new Set<Promise<void>>();
  const busy = new Map<string, number>();
  let failure: { readonly error: unknown } | null = null;

  const start = (stream: StoredStream, host: string) => {
    busy.set(host, (busy.get(host) ?? 0) + 1);
    const run: Promise<void> = ask(stream)
      .catch((error: unknown) => void (failure ??= { error }))
      .finally(() => {
        running.delete(run);
        const others = (busy.get(host) ?? 1) - 1;
        if (others === 0) busy.delete(host);
        else busy.set(host, others);
      });
    running.add(run);
  };
  const mayGoOn = () => failure === null && !isStopped();
  const startNext = () => {
    const next = waiting.findIndex(({ host }) => (busy.get(host) ?? 0) < MAX_PROBES_PER_HOST);
    const [found] = next === -1 ? [] : waiting.splice(next, 1);
    if (found) start(found.stream, found.host);
    return found !== undefined;
  };

  for await (const stream of streams) {
    waiting.push({ stream, host: new URL(stream.url).hostname });
    while (mayGoOn() && (running.size >= concurrency || !startNext()) && waiting.length >= WAITING_ROOM)
      await Promise.race(running);
    if (!mayGoOn()) break;
  }
  while (mayGoOn() && waiting.length > 0) {
    if (running.size >= concurrency || !startNext()) await Promise.race(running);
  }
  await Promise.all(running);
  if (failure !== null) throw (failure as { readonly error: unknown }).error;
}
