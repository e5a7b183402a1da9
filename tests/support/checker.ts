import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { expect } from 'chai';
import { Client } from 'pg';
import { quantile } from './figures.js';

/** What a client knows of what it asked for: it was done; it was refused; nobody told, so it may be either. */
export type Outcome = 'ok' | 'fail' | 'info';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly milliseconds: number;
}

export interface Ask {
  readonly method?: string;
  readonly path: string;
  /** A JWT or an API token. */
  readonly bearer?: string;
  readonly body?: unknown;
}

/** Clients of one node, which write down every answer that they get. */
export class Clients {
  readonly answers: Answer[] = [];
  /** Requests that ended without an answer. */
  lost = 0;
  /** Gives up idle connections before the service does, as it asks of whoever keeps them. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 128, timeout: 4_000 });

  constructor(readonly url: string) {}

  /** null: the connection broke before there was an answer. */
  async ask({ method = 'GET', path, bearer, body }: Ask): Promise<Answer | null> {
    const startedAt = performance.now();
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
      ...(text === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
    };
    return new Promise((resolve) => {
      const lose = () => {
        this.lost += 1;
        resolve(null);
      };
      const asked = request(`${this.url}${path}`, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', lose);
        response.on('end', () => {
          const { statusCode: status = 0, headers: received } = response;
          const milliseconds = performance.now() - startedAt;
          const answer = { status, headers: received, body: Buffer.concat(chunks).toString(), milliseconds };
          this.answers.push(answer);
          resolve(answer);
        });
      });
      asked.on('error', lose);
      asked.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  get slowest(): number {
    return Math.round(
      quantile(
        this.answers.map(({ milliseconds }) => milliseconds),
        1,
      ),
    );
  }
}

export function outcomeOf(answer: Answer | null): Outcome {
  if (answer === null || answer.status >= 500) return 'info';
  return answer.status < 400 ? 'ok' : 'fail';
}

/** Everything that is not a success says so as the contract has it: a well-formed 503, in time. */
export function expectOnlyOrderlyRefusals(answers: readonly Answer[], milliseconds = 3_000): void {
  for (const { status, headers, body, milliseconds: taken } of answers) {
    expect(taken, `milliseconds until ${status}`).to.be.below(milliseconds);
    if (status < 400) continue;
    expect({ status, body }).to.deep.equal({
      status: 503,
      body: '{"statusCode":503,"message":"Service Unavailable"}',
    });
    expect(headers['content-type']).to.match(/^application\/json/);
    expect(headers['retry-after']).to.match(/^\d+$/);
  }
}

/** How many have which status. */
export function statuses(answers: readonly (Answer | null)[]): string {
  const counts = new Map<number | 'lost', number>();
  for (const answer of answers) {
    const key = answer?.status ?? 'lost';
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([status, count]) => `${count}×${status}`).join(' ');
}

export interface VoteLogged {
  readonly user: number;
  readonly stream: number;
  readonly direction: 'up' | 'down';
  readonly outcome: Outcome;
}

/** Compares what clients were told with what the database holds, without a line of the service's own code. */
export async function checkVotes(database: string, log: readonly VoteLogged[]) {
  const stored = await query<{ user: number; stream: number; direction: string }>(
    database,
    `select account_id as "user", stream_id as stream, direction from votes where direction <> 'none'`,
  );
  const kept = new Map(stored.map(({ user, stream, direction }) => [`${user}/${stream}`, direction]));
  const isKept = ({ user, stream, direction }: VoteLogged) => kept.get(`${user}/${stream}`) === direction;
  const asked = new Set(log.map(({ user, stream }) => `${user}/${stream}`));
  return {
    acknowledged: log.filter(({ outcome }) => outcome === 'ok').length,
    unknown: log.filter(({ outcome }) => outcome === 'info').length,
    lost: log.filter((vote) => vote.outcome === 'ok' && !isKept(vote)).length,
    phantom:
      log.filter((vote) => vote.outcome === 'fail' && isKept(vote)).length +
      [...kept.keys()].filter((key) => !asked.has(key)).length,
    wrongTallies: await wrongTallies(database),
  };
}

/** Streams whose tally is not what their votes add up to. */
export async function wrongTallies(database: string): Promise<number> {
  const wrong = await query(
    database,
    `select t.stream_id from vote_tallies t left join votes v on v.stream_id = t.stream_id
     group by t.stream_id, t.upvotes, t.downvotes
     having t.upvotes <> count(*) filter (where v.direction = 'up')
       or t.downvotes <> count(*) filter (where v.direction = 'down')`,
  );
  return wrong.length;
}

export async function query<Row extends object>(
  database: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: database });
  client.on('error', () => {
    // It is reported where the query is awaited.
  });
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
