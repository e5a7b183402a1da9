import { expect } from 'chai';
import { InMemoryBulkDirectory } from '../../src/adapters/in-memory/in-memory-bulk-directory.js';
import { InMemoryDatabase } from '../../src/adapters/in-memory/in-memory-database.js';
import { InMemoryOrganizationRepository } from '../../src/adapters/in-memory/in-memory-organization-repository.js';
import { InMemoryStreamChecks } from '../../src/adapters/in-memory/in-memory-stream-checks.js';
import { CheckStreams, MAX_PROBES_PER_HOST } from '../../src/application/check-streams.js';
import type { AudioFinding } from '../../src/domain/stream-check.js';
import type { HttpUrl } from '../../src/domain/text.js';
import { anAddedOrganization, anAddedStream } from '../support/builders.js';
import { ManualClock, START } from '../support/manual-clock.js';

const HEARD: AudioFinding = { outcome: 'audio', detail: '', codec: 'mp3', bitrate: 128 };
const GONE: AudioFinding = { outcome: 'refused', detail: 'HTTP 404', codec: null, bitrate: null };

/** Answers one probe after the other in the order of their start; counts how many it is asked for at once. */
class PatientProbe {
  readonly asked: string[] = [];
  most = 0;
  mostOnOneHost = 0;
  readonly #running: string[] = [];

  constructor(private readonly finding: (url: HttpUrl) => AudioFinding) {}

  async probe(url: HttpUrl): Promise<AudioFinding> {
    const { hostname } = new URL(url);
    this.asked.push(url);
    this.#running.push(hostname);
    this.most = Math.max(this.most, this.#running.length);
    this.mostOnOneHost = Math.max(
      this.mostOnOneHost,
      this.#running.filter((host) => host === hostname).length,
    );
    await new Promise((resolve) => setImmediate(resolve));
    this.#running.splice(this.#running.indexOf(hostname), 1);
    return this.finding(url);
  }
}

async function aDirectory(hosts: readonly string[], finding: (url: HttpUrl) => AudioFinding = () => HEARD) {
  const db = new InMemoryDatabase();
  const organizations = new InMemoryOrganizationRepository(db);
  const organization = await anAddedOrganization(organizations);
  for (const [index, host] of hosts.entries())
    await anAddedStream(organizations, organization, { url: `https://${host}/${index}` });
  const probe = new PatientProbe(finding);
  const checks = new InMemoryStreamChecks(db);
  const clock = new ManualClock();
  const check = new CheckStreams(new InMemoryBulkDirectory(db), checks, probe, clock);
  return { organizations, probe, checks, clock, check };
}

describe('Checking streams', () => {
  it('asks every stream of a large directory once, and stores the answers', async () => {
    const hosts = Array.from({ length: 1_203 }, (_, index) => `host-${index % 400}.example`);
    const { check, probe, checks } = await aDirectory(hosts, (url) => (url.endsWith('7') ? GONE : HEARD));
    const summary = await check.execute('all', { concurrency: 20 });
    expect(new Set(probe.asked).size).to.equal(1_203);
    expect(probe.asked).to.have.length(1_203);
    expect(summary).to.deep.equal({ checked: 1_203, answering: 1_083, broken: 120 });
    expect((await checks.broken()).size).to.equal(120);
  });

  it('asks no more at once than it may, and uses what it may', async () => {
    const hosts = Array.from({ length: 100 }, (_, index) => `host-${index}.example`);
    const { check, probe } = await aDirectory(hosts);
    await check.execute('all', { concurrency: 7 });
    expect(probe.most).to.equal(7);
  });

  it('spares hosts with many streams, and lets others pass meanwhile', async () => {
    const hosts = [...Array.from({ length: 1_500 }, () => 'big.example'), 'small.example'];
    const { check, probe } = await aDirectory(hosts);
    await check.execute('all', { concurrency: 50 });
    expect(probe.mostOnOneHost).to.equal(MAX_PROBES_PER_HOST);
    expect(probe.asked).to.have.length(1_501);
    expect(probe.asked.indexOf('https://small.example/1500')).to.be.lessThan(1_400);
  });

  it('asks the streams it is told only', async () => {
    const { check, probe, organizations } = await aDirectory(['a.example', 'b.example']);
    const [first] = await organizations.listStreams();
    const told: string[] = [];
    await check.execute(first ? [first] : [], {
      concurrency: 5,
      onChecked: ({ stream, check: { outcome, checkedAt } }) =>
        void told.push(`${stream.id} ${outcome} ${checkedAt}`),
    });
    expect(probe.asked).to.deep.equal(['https://a.example/0']);
    expect(told).to.deep.equal([`1 audio ${START}`]);
  });

  it('keeps since when a stream has been broken', async () => {
    const { check, checks, clock } = await aDirectory(['a.example'], () => GONE);
    await check.execute('all', { concurrency: 1 });
    clock.advance(60_000);
    await check.execute('all', { concurrency: 1 });
    const [[, last] = []] = await checks.broken();
    expect(last).to.include({ checkedAt: START + 60_000, brokenSince: START });
  });

  it('stores what it has when it is stopped, and asks nobody else', async () => {
    const hosts = Array.from({ length: 300 }, (_, index) => `host-${index}.example`);
    const { check, probe, checks } = await aDirectory(hosts, () => GONE);
    const summary = await check.execute('all', {
      concurrency: 10,
      isStopped: () => probe.asked.length >= 100,
    });
    expect(summary.checked).to.equal(probe.asked.length).and.be.within(100, 110);
    expect((await checks.broken()).size).to.equal(summary.checked);
  });

  it('rejects when the probe or the storage fails, and not before all probes have ended', async () => {
    const { check } = await aDirectory(['a.example', 'b.example'], () => {
      throw new Error('a bug');
    });
    let problem: unknown;
    await check.execute('all', { concurrency: 2 }).catch((error: unknown) => (problem = error));
    expect(problem).to.be.an('error').with.property('message', 'a bug');
  });
});
