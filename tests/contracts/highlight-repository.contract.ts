import { expect } from 'chai';
import type { HighlightRepository } from '../../src/application/ports/highlight-repository.js';
import {
  type Candidate,
  type HeldHighlight,
  type Pin,
  decideHighlights,
  voteWindowsAt,
} from '../../src/domain/highlights.js';
import { DAY, type Instant, MAX_ID, type StreamId, later } from '../../src/domain/ids.js';
import { type Month, startOf } from '../../src/domain/month.js';
import type { Highlight } from '../../src/domain/stream.js';
import { castVote } from '../../src/domain/vote.js';
import {
  aStreamProfile,
  aStreamUuid,
  anActivatedUser,
  anAddedOrganization,
  anEmail,
  must,
} from '../support/builders.js';
import type { StorageUnderTest } from './storage.js';

const NOW = Date.UTC(2026, 2, 10, 12) as Instant;
const WINDOWS = voteWindowsAt(NOW);
const MARCH = '2026-03' as Month;
const APRIL = '2026-04' as Month;
const UNKNOWN = MAX_ID as StreamId;
const always = () => true;

/** What every `HighlightRepository` promises. The storage was started. */
export function highlightRepositoryContract(storage: StorageUnderTest): void {
  describe('HighlightRepository', () => {
    it('has nothing to count where nobody voted', async () => {
      const { highlights, aStream } = await opened(storage);
      await aStream();
      expect(await counted(highlights)).to.deep.equal({ candidates: [], pins: [] });
    });

    it('counts the votes that stand by the instant each was cast', async () => {
      const { highlights, aStream, vote } = await opened(storage);
      const addedAt = later(WINDOWS.lastMonth.start, 123);
      const stream = await aStream({ addedAt });
      const { start, end } = WINDOWS.lastMonth;
      await vote(stream, 'up', later(start, -1));
      await vote(stream, 'up', start);
      await vote(stream, 'down', later(end, -1));
      await vote(stream, 'up', end);
      await vote(stream, 'up', WINDOWS.recentAfter);
      await vote(stream, 'up', later(WINDOWS.recentAfter, 1));
      await vote(stream, 'down', NOW);
      await vote(stream, 'up', NOW, 'up');
      expect((await counted(highlights)).candidates).to.deep.equal([
        {
          stream,
          isActive: true,
          addedAt,
          lastMonth: { upvotes: 1, downvotes: 1 },
          recentUpvotes: 1,
          allTime: { upvotes: 5, downvotes: 2 },
        },
      ]);
    });

    it('counts a changed vote when it was changed', async () => {
      const { highlights, accounts, votes, aStream } = await opened(storage);
      const stream = await aStream();
      const session = await anActivatedUser(accounts);
      for (const [direction, at] of [
        ['up', WINDOWS.lastMonth.start],
        ['down', NOW],
      ] as const)
        must(await votes.update(session, stream, at, (current) => castVote(current, direction)));
      const [one] = (await counted(highlights)).candidates;
      expect(one?.lastMonth).to.deep.equal({ upvotes: 0, downvotes: 0 });
      expect(one?.allTime).to.deep.equal({ upvotes: 0, downvotes: 1 });
    });

    it('tells active streams from others, and counts pinned ones without votes', async () => {
      const { highlights, organizations, aStream, vote } = await opened(storage);
      const [voted, pinned, elsewhere] = [await aStream(), await aStream(), await aStream()];
      await vote(voted, 'up', NOW);
      await organizations.updateStream(voted, aStreamProfile({ isEnabled: false }));
      await highlights.pin('newcomer-of-the-month', MARCH, pinned);
      await highlights.pin('stream-of-the-month', APRIL, elsewhere);
      const { candidates, pins } = await counted(highlights);
      expect(candidates.map(({ stream, isActive }) => [stream, isActive])).to.have.deep.members([
        [voted, false],
        [pinned, true],
      ]);
      expect(pins).to.deep.equal([{ highlight: 'newcomer-of-the-month', stream: pinned }]);
    });

    it('lists what was decided at once, in the place of what was before', async () => {
      const { highlights, aStream, listed, organization, directory } = await opened(storage);
      const [one, other] = [await aStream(), await aStream()];
      for (const [decided, expected] of [
        [
          [held('top-voted', one), held('stream-of-the-month', one), held('top-voted', other)],
          { [one]: ['stream-of-the-month', 'top-voted'], [other]: ['top-voted'] },
        ],
        [[held('stream-of-the-month', other)], { [one]: [], [other]: ['stream-of-the-month'] }],
        [[held('stream-of-the-month', one)], { [one]: ['stream-of-the-month'], [other]: [] }],
        [[], { [one]: [], [other]: [] }],
      ] as [HeldHighlight[], Record<StreamId, Highlight[]>][]) {
        expect(await highlights.recompute(WINDOWS, always, () => decided)).to.deep.equal(decided);
        expect(await listed()).to.deep.equal(expected);
        const ofOne = await directory.streamsOf(organization);
        expect(ofOne?.map((stream) => stream.highlights)).to.deep.equal([expected[one], expected[other]]);
      }
    });

    it('applies the rule to real votes', async () => {
      const { highlights, aStream, vote, listed } = await opened(storage);
      const old = await aStream({ addedAt: later(NOW, -400 * DAY) });
      const newcomer = await aStream({ addedAt: WINDOWS.lastMonth.start });
      for (const at of [WINDOWS.lastMonth.start, later(WINDOWS.lastMonth.end, -1)]) await vote(old, 'up', at);
      await vote(newcomer, 'up', later(WINDOWS.lastMonth.start, DAY));
      await vote(newcomer, 'up', later(NOW, -DAY));
      await highlights.recompute(WINDOWS, always, (candidates, pins) =>
        decideHighlights(WINDOWS, candidates, pins),
      );
      expect(await listed()).to.deep.equal({
        [old]: ['stream-of-the-month', 'top-voted'],
        [newcomer]: ['newcomer-of-the-month', 'recent-popular', 'top-voted'],
      });
    });

    it('hides the highlights of a stream that is not active, and shows them again', async () => {
      const { highlights, organizations, accounts, directory, organization, aStream, listed } =
        await opened(storage);
      const stream = await aStream();
      await highlights.recompute(WINDOWS, always, () => [held('top-voted', stream)]);
      const email = anEmail();
      const member = await anActivatedUser(accounts, { email });
      must(await organizations.addMember(organization, email));
      for (const isEnabled of [false, true]) {
        await organizations.updateStream(stream, aStreamProfile({ isEnabled }));
        expect(await listed()).to.deep.equal(isEnabled ? { [stream]: ['top-voted'] } : {});
        const [mine] = must(await directory.streamsOfMember(member));
        expect(mine?.highlights).to.deep.equal(isEnabled ? ['top-voted'] : []);
      }
    });

    it('asks whether it is due, telling when it was done last', async () => {
      const { highlights } = await opened(storage);
      const asked: (Instant | null)[] = [];
      const never = (computedAt: Instant | null) => {
        asked.push(computedAt);
        return false;
      };
      const unexpected = () => {
        throw new Error('nothing is due');
      };
      expect(await highlights.recompute(WINDOWS, never, unexpected)).to.equal(null);
      await highlights.recompute(WINDOWS, always, () => []);
      expect(await highlights.recompute(WINDOWS, never, unexpected)).to.equal(null);
      expect(new Set(asked)).to.deep.equal(new Set([null, NOW]));
    });

    it('computes once of many nodes that ask at once whether it is due', async () => {
      const { highlights, aStream, listed } = await opened(storage);
      const stream = await aStream();
      const answers = await Promise.all(
        Array.from({ length: 8 }, () =>
          highlights.recompute(
            WINDOWS,
            (computedAt) => computedAt === null,
            () => [held('top-voted', stream)],
          ),
        ),
      );
      expect(answers.filter((answer) => answer !== null)).to.deep.equal([[held('top-voted', stream)]]);
      expect(await listed()).to.deep.equal({ [stream]: ['top-voted'] });
    });

    it('pins one stream per month and highlight, the last one', async () => {
      const { highlights, aStream } = await opened(storage);
      const [one, other] = [await aStream(), await aStream()];
      expect((await counted(highlights)).pins).to.deep.equal([]);
      expect(await highlights.pin('stream-of-the-month', MARCH, one)).to.equal(true);
      expect(await highlights.pin('newcomer-of-the-month', MARCH, one)).to.equal(true);
      expect(await highlights.pin('stream-of-the-month', MARCH, other)).to.equal(true);
      expect(await highlights.pin('stream-of-the-month', APRIL, one)).to.equal(true);
      expect(await highlights.pin('stream-of-the-month', MARCH, UNKNOWN)).to.equal(false);
      expect((await counted(highlights)).pins).to.have.deep.members([
        { highlight: 'stream-of-the-month', stream: other },
        { highlight: 'newcomer-of-the-month', stream: one },
      ]);
      expect(await highlights.unpin('stream-of-the-month', MARCH, one)).to.equal(null);
      expect(await highlights.unpin('stream-of-the-month', MARCH, null)).to.equal(other);
      expect(await highlights.unpin('stream-of-the-month', MARCH, null)).to.equal(null);
      expect(await highlights.unpin('newcomer-of-the-month', MARCH, one)).to.equal(one);
      expect((await counted(highlights, voteWindowsAt(startOf(APRIL)))).pins).to.deep.equal([
        { highlight: 'stream-of-the-month', stream: one },
      ]);
    });

    it('forgets the pins and highlights of a stream that was removed', async () => {
      const { highlights, organizations, aStream, listed } = await opened(storage);
      const stream = await aStream();
      await highlights.pin('stream-of-the-month', MARCH, stream);
      await highlights.recompute(WINDOWS, always, () => [held('stream-of-the-month', stream)]);
      must(await organizations.removeStream(stream));
      expect((await counted(highlights)).pins).to.deep.equal([]);
      expect(await listed()).to.deep.equal({});
      expect(await highlights.unpin('stream-of-the-month', MARCH, null)).to.equal(null);
    });
  });
}

function held(highlight: Highlight, stream: StreamId): HeldHighlight {
  return { highlight, stream };
}

/** What the rule is given to decide upon. */
async function counted(highlights: HighlightRepository, windows = WINDOWS) {
  let asked: { candidates: readonly Candidate[]; pins: readonly Pin[] } | undefined;
  await highlights.recompute(windows, always, (candidates, pins) => {
    asked = { candidates, pins };
    return [];
  });
  return asked ?? { candidates: [], pins: [] };
}

async function opened(storage: StorageUnderTest) {
  const store = await storage.open();
  const organization = await anAddedOrganization(store.organizations);
  return {
    ...store,
    organization,
    aStream: async ({ addedAt = NOW } = {}): Promise<StreamId> =>
      must(await store.organizations.addStream(organization, aStreamUuid(), aStreamProfile(), addedAt)),
    /** By a new user each; more directions are cast right after the first. */
    vote: async (stream: StreamId, direction: 'up' | 'down', at: Instant, ...more: ('up' | 'down')[]) => {
      const voter = await anActivatedUser(store.accounts);
      for (const cast of [direction, ...more])
        must(await store.votes.update(voter, stream, at, (current) => castVote(current, cast)));
    },
    listed: async (): Promise<Record<StreamId, readonly Highlight[]>> =>
      Object.fromEntries((await store.directory.streams()).map((stream) => [stream.id, stream.highlights])),
  };
}
