import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { MAIL_OUTCOMES, type MailAttempt } from '../../application/mail-delivery.js';
import { MAIL_KINDS } from '../../domain/account.js';
import { type Figures, StorageFigures } from './storage-figures.js';

/** A pool of connections to a database. */
export interface DatabaseUse {
  readonly used: number;
  readonly free: number;
  readonly limit: number;
  /** Who waits for a connection. */
  readonly pending: number;
  /** How often the database could not answer, so far. */
  readonly outages: number;
}

/** What is read whenever the metrics are asked for. */
export interface Observed {
  /** By what they are for. */
  readonly databases: Readonly<Record<string, { use(): DatabaseUse }>>;
  /** null: there is none. */
  readonly replica: { readonly state: string; readonly lagMilliseconds: number } | null;
  readonly streamList: { readonly isStale: boolean; readonly staleAnswers: number };
  readonly figures: () => Promise<Figures>;
}

/** A request that is over. */
export interface EndedRequest {
  readonly method: string | null;
  /** The pattern that its path matched; null: none. */
  readonly route: string | null;
  /** null: its client did not wait for an answer. */
  readonly status: number | null;
  readonly seconds: number;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const REPLICA_STATES = ['in-use', 'lost', 'behind', 'no-replica'];

/**
 * The metrics of one service, for Prometheus. No label holds what a client sent: where it could, everything but a few
 * known words counts as one.
 */
export class PrometheusMetrics {
  readonly #registry = new Registry();
  readonly #requests = this.#histogram(
    'http_request_duration_seconds',
    'Requests, and how long each took from its headers until its answer had left.',
    ['method', 'route', 'status'],
  );
  readonly #inFlight = this.#gauge('http_requests_in_flight', 'Requests whose answers have not left yet.');
  readonly #dropped = this.#counter(
    'http_connections_dropped_total',
    'Connections that were closed unheard, because there were too many.',
  );
  readonly #limits = this.#counter(
    'rate_limit_exceeded_total',
    'Refused requests, by each limit that had no room; one may count at several.',
    ['policy'],
  );
  readonly #sharing = this.#gauge(
    'rate_limit_shared',
    '1: limits are counted in Redis by all processes together; 0: Redis is away, and this process counts for itself.',
    ['store'],
  );
  readonly #sharingChanges = this.#counter(
    'rate_limit_sharing_changes_total',
    'How often the limits went over to being counted shared or alone.',
    ['to'],
  );
  readonly #reports = this.#counter(
    'webhook_reports_total',
    'Reports that were taken, by their form and what they did.',
    ['form', 'outcome'],
  );
  readonly #refusals = this.#counter('webhook_refusals_total', 'Reports that were refused.', ['reason']);
  readonly #security = this.#counter(
    'security_events_total',
    'What happened to accounts, logins and tokens.',
    ['event', 'reason'],
  );
  readonly #attempts = this.#counter('mail_attempts_total', 'Attempts to send a mail.', ['kind', 'outcome']);
  readonly #mails = this.#gauge(
    'mails',
    'Mails to be sent now (due), later or under way (waiting), and those kept that were given up.',
    ['state'],
  );
  readonly #oldestMail = this.#gauge(
    'mail_oldest_age_seconds',
    'Since when the oldest mail is owed that was not given up; 0: there is none.',
  );
  readonly #entries = this.#gauge(
    'entries',
    'Activated users, listed organizations and active streams, as GET /stats counts them.',
    ['kind'],
  );
  readonly #storageUp = this.#gauge(
    'storage_up',
    '1: the storage told the figures of mails and entries; 0: it did not answer, and they are left out.',
  );
  readonly #connections = this.#gauge('database_connections', 'Connections of the pool.', [
    'database',
    'state',
  ]);
  readonly #connectionLimit = this.#gauge(
    'database_connections_limit',
    'How many connections the pool may have.',
    ['database'],
  );
  readonly #pending = this.#gauge('database_waiting', 'Who waits for a connection of the pool.', [
    'database',
  ]);
  readonly #outages = this.#counter(
    'database_outages_total',
    'How often the database was asked and could not answer.',
    ['database'],
  );
  readonly #replicaState = this.#gauge(
    'replica_state',
    '1 for the state that the replica is in. It is read while in-use.',
    ['state'],
  );
  readonly #replicaLag = this.#gauge(
    'replica_lag_seconds',
    'How far the replica is behind; NaN: it was never reached.',
    ['database'],
  );
  readonly #stale = this.#gauge(
    'stream_list_stale',
    '1: the database does not answer, and the stream list is the last one that could be read.',
  );
  readonly #staleAnswers = this.#counter(
    'stream_list_stale_answers_total',
    'Stream lists that were answered from the last one that could be read.',
  );
  #observed: Observed | null = null;
  #figures: StorageFigures | null = null;

  constructor(build: { readonly version: string; readonly node: string }) {
    this.#gauge('build_info', 'The version of the service and of Node.js.', ['version', 'node']).set(
      build,
      1,
    );
    for (const kind of MAIL_KINDS)
      for (const outcome of MAIL_OUTCOMES) this.#attempts.inc({ kind, outcome }, 0);
  }

  /** @param pauseMilliseconds the storage is asked for its figures no more often than this */
  watch(observed: Observed, pauseMilliseconds?: number): void {
    this.#observed = observed;
    this.#figures = new StorageFigures(observed.figures, pauseMilliseconds);
  }

  requestBegan(): void {
    this.#inFlight.inc();
  }

  requestEnded({ method, route, status, seconds }: EndedRequest): void {
    this.#inFlight.dec();
    const known = method !== null && METHODS.includes(method) ? method : 'other';
    this.#requests.observe(
      { method: known, route: route ?? 'unknown', status: status ?? 'aborted' },
      seconds,
    );
  }

  connectionDropped(): void {
    this.#dropped.inc();
  }

  limitExceeded(policy: string, times = 1): void {
    this.#limits.inc({ policy }, times);
  }

  reportTaken(form: string, outcome: string, times = 1): void {
    this.#reports.inc({ form, outcome }, times);
  }

  reportRefused(reason: string, times = 1): void {
    this.#refusals.inc({ reason }, times);
  }

  securityEvent(event: string, reason = '', times = 1): void {
    this.#security.inc({ event, reason }, times);
  }

  /** Only where limits can be shared. */
  limitsCounted(how: 'shared' | 'alone'): void {
    this.#sharing.set({ store: 'redis' }, how === 'shared' ? 1 : 0);
    for (const to of ['shared', 'alone']) this.#sharingChanges.inc({ to }, to === how ? 1 : 0);
  }

  mailAttempted({ mail, outcome }: MailAttempt): void {
    this.#attempts.inc({ kind: mail.kind, outcome });
  }

  /** Prometheus's text format, 0.0.4. Waits less than a second for the storage, and for nothing else. */
  async exposition(): Promise<string> {
    this.#told(await (this.#figures?.current() ?? null));
    if (this.#observed) this.#read(this.#observed);
    return `${await this.#registry.metrics()}\n${await ofProcess().metrics()}`;
  }

  #told(figures: Figures | null): void {
    this.#storageUp.set(figures === null ? 0 : 1);
    this.#entries.reset();
    this.#mails.reset();
    this.#oldestMail.set(figures === null ? NaN : figures.oldestMailAge / 1_000);
    if (figures === null) return;
    const { directory, mails } = figures;
    this.#entries.set({ kind: 'users' }, directory.users);
    this.#entries.set({ kind: 'organizations' }, directory.organizations);
    this.#entries.set({ kind: 'streams' }, directory.stations);
    this.#mails.set({ state: 'due' }, mails.due);
    this.#mails.set({ state: 'waiting' }, mails.waiting);
    this.#mails.set({ state: 'given-up' }, mails.givenUp);
  }

  #read({ databases, replica, streamList }: Observed): void {
    this.#outages.reset();
    for (const [database, pool] of Object.entries(databases)) {
      const { used, free, limit, pending, outages } = pool.use();
      this.#connections.set({ database, state: 'used' }, used);
      this.#connections.set({ database, state: 'free' }, free);
      this.#connectionLimit.set({ database }, limit);
      this.#pending.set({ database }, pending);
      this.#outages.inc({ database }, outages);
    }
    if (replica) {
      for (const state of REPLICA_STATES) this.#replicaState.set({ state }, state === replica.state ? 1 : 0);
      this.#replicaLag.set({ database: 'replica' }, replica.lagMilliseconds / 1_000);
    }
    this.#stale.set(streamList.isStale ? 1 : 0);
    this.#staleAnswers.reset();
    this.#staleAnswers.inc(streamList.staleAnswers);
  }

  #counter(name: string, help: string, labelNames: readonly string[] = []): Counter {
    return new Counter({ name: `radio_directory_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #gauge(name: string, help: string, labelNames: readonly string[] = []): Gauge {
    return new Gauge({ name: `radio_directory_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #histogram(name: string, help: string, labelNames: readonly string[]): Histogram {
    const fullName = `radio_directory_${name}`;
    return new Histogram({ name: fullName, help, labelNames, buckets: SECONDS, registers: [this.#registry] });
  }
}

let processRegistry: Registry | null = null;

/** What all services in one process have in common, from the first time that somebody asks. */
function ofProcess(): Registry {
  if (processRegistry === null) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}
