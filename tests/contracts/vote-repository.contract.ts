import { expect } from 'chai';
import fc from 'fast-check';
import type { VoteRepository } from '../../src/application/ports/vote-repository.js';
import { type Session, resetPassword } from '../../src/domain/account.js';
import { MAX_ID, type StreamId } from '../../src/domain/ids.js';
import { err, ok } from '../../src/domain/result.js';
import { type VoteDirection, type VoteState, castVote } from '../../src/domain/vote.js';
import {
  aNewAccount,
  aPasswordHash,
  aStreamProfile,
  anActivatedUser,
  anAddedOrganization,
  anAddedStream,
  issuedToken,
  must,
} from '../support/builders.js';
import { START } from '../support/manual-clock.js';
import type { Storage, StorageUnderTest } from './storage.js';

const SESSION_ENDED = err({ kind: 'session-ended' });
const STREAM_NOT_FOUND = err({ kind: 'stream-not-found' });
const DIRECTIONS = ['up', 'down'] as const;

/** What every `VoteRepository` promises. The storage was started. */
export function voteRepositoryContract(storage: StorageUnderTest): void {
  describe('VoteRepository', () => {
    it('shows no votes where none were cast', async () => {
      const { votes, anna, jazz } = await opened(storage);
      expect(await votes.view(jazz, anna)).to.deep.equal(ok(viewed(0, 0, 'none')));
    });

    it('stores a vote, moves it and takes it back', async () => {
      const { votes, anna, jazz } = await opened(storage);
      for (const [direction, outcome, view] of [
        ['up', 'saved', viewed(1, 0, 'up')],
        ['down', 'updated', viewed(0, 1, 'down')],
        ['up', 'updated', viewed(1, 0, 'up')],
        ['up', 'removed', viewed(0, 0, 'none')],
        ['down', 'saved', viewed(0, 1, 'down')],
        ['down', 'removed', viewed(0, 0, 'none')],
      ] as const) {
        expect(must(await cast(votes, anna, jazz, direction)).outcome).to.equal(outcome);
        expect(await votes.view(jazz, anna)).to.deep.equal(ok(view));
      }
    });

    it('keeps the votes of every user on every stream apart', async () => {
      const { votes, anna, ben, jazz, folk } = await opened(storage);
      must(await cast(votes, anna, jazz, 'up'));
      must(await cast(votes, ben, jazz, 'down'));
      must(await cast(votes, ben, folk, 'up'));
      expect(await votes.view(jazz, anna)).to.deep.equal(ok(viewed(1, 1, 'up')));
      expect(await votes.view(jazz, ben)).to.deep.equal(ok(viewed(1, 1, 'down')));
      expect(await votes.view(folk, anna)).to.deep.equal(ok(viewed(1, 0, 'none')));
      expect(await votes.view(jazz, null)).to.deep.equal(ok(viewed(1, 1, 'none')));
    });

    it('runs concurrent toggles of one vote one after the other', async () => {
      const { votes, anna, jazz } = await opened(storage);
      const moves = await Promise.all(Array.from({ length: 100 }, () => cast(votes, anna, jazz, 'up')));
      const outcomes = moves.map((move) => must(move).outcome);
      expect(outcomes.filter((outcome) => outcome === 'saved')).to.have.length(50);
      expect(outcomes.filter((outcome) => outcome === 'removed')).to.have.length(50);
      expect(await votes.view(jazz, anna)).to.deep.equal(ok(viewed(0, 0, 'none')));
      must(await cast(votes, anna, jazz, 'up'));
      await Promise.all(Array.from({ length: 21 }, () => cast(votes, anna, jazz, 'down')));
      expect(await votes.view(jazz, anna)).to.deep.equal(ok(viewed(0, 1, 'down')));
    });

    it('keeps the tally equal to the votes over any sequence of votes', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(casts(), { maxLength: 40 }), async (sequence) => {
          const { votes, voters, streams } = await opened(storage);
          const model = new Map<string, VoteState>();
          for (const { voter, stream, direction } of sequence) {
            const transition = castVote(model.get(`${voter} ${stream}`) ?? 'none', direction);
            model.set(`${voter} ${stream}`, transition.next);
            const stored = await cast(
              votes,
              voters[voter] as Session,
              streams[stream] as StreamId,
              direction,
            );
            expect(stored).to.deep.equal(ok(transition));
          }
          for (const [stream, id] of streams.entries()) {
            const states = voters.map((_, voter) => model.get(`${voter} ${stream}`) ?? 'none');
            for (const [voter, session] of voters.entries())
              expect(await votes.view(id, session)).to.deep.equal(
                ok(viewed(count(states, 'up'), count(states, 'down'), states[voter] ?? 'none')),
              );
          }
        }),
        { numRuns: 15 },
      );
    });

    it('keeps the tally equal to the votes, however votes of many users interleave', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(casts(), { minLength: 20, maxLength: 60 }), async (sequence) => {
          const { votes, voters, streams } = await opened(storage);
          await Promise.all(
            sequence.map(async ({ voter, stream, direction }) =>
              must(await cast(votes, voters[voter] as Session, streams[stream] as StreamId, direction)),
            ),
          );
          for (const id of streams) {
            const views = await Promise.all(voters.map(async (voter) => must(await votes.view(id, voter))));
            const states = views.map((view) => view.vote);
            const tally = { upvotes: count(states, 'up'), downvotes: count(states, 'down') };
            for (const view of views) expect(view.tally).to.deep.equal(tally);
          }
        }),
        { numRuns: 10 },
      );
    });

    it('knows no stream with an unknown id', async () => {
      const { votes, anna } = await opened(storage);
      const unknown = MAX_ID as StreamId;
      expect(await cast(votes, anna, unknown, 'up')).to.deep.equal(STREAM_NOT_FOUND);
      expect(await votes.view(unknown, anna)).to.deep.equal(STREAM_NOT_FOUND);
    });

    for (const [what, organizationFields, isEnabled] of [
      ['that is not enabled', {}, false],
      ['of an inactive organization', { isActive: false }, true],
      ['of a private organization', { isPublic: false }, true],
    ] as const)
      it(`knows no stream ${what}`, async () => {
        const { votes, organizations, anna } = await opened(storage);
        const organization = await anAddedOrganization(organizations, organizationFields);
        const { id } = await anAddedStream(organizations, organization, { isEnabled });
        expect(await cast(votes, anna, id, 'up')).to.deep.equal(STREAM_NOT_FOUND);
        expect(await votes.view(id, null)).to.deep.equal(STREAM_NOT_FOUND);
      });

    it('keeps the votes of a stream while it is not active, and takes none', async () => {
      const { votes, organizations, anna, jazz } = await opened(storage);
      must(await cast(votes, anna, jazz, 'up'));
      await organizations.updateStream(jazz, aStreamProfile({ isEnabled: false }));
      expect(await cast(votes, anna, jazz, 'up')).to.deep.equal(STREAM_NOT_FOUND);
      await organizations.updateStream(jazz, aStreamProfile({ isEnabled: true }));
      expect(await votes.view(jazz, anna)).to.deep.equal(ok(viewed(1, 0, 'up')));
    });

    it('takes no vote of a session whose password was changed, but shows the tally', async () => {
      const { votes, accounts, anna, jazz } = await opened(storage);
      must(await cast(votes, anna, jazz, 'up'));
      const token = await issuedToken(accounts, anna.user, 'reset');
      must(
        await accounts.update({ id: anna.user }, (found) =>
          resetPassword(found, token, aPasswordHash(), START),
        ),
      );
      expect(await cast(votes, anna, jazz, 'up')).to.deep.equal(SESSION_ENDED);
      expect(await votes.view(jazz, anna)).to.deep.equal(ok(viewed(1, 0, 'none')));
      const again = { ...anna, credentialVersion: anna.credentialVersion + 1 };
      expect(await votes.view(jazz, again)).to.deep.equal(ok(viewed(1, 0, 'up')));
    });

    it('takes no vote of a user who is gone, was never there, or awaits activation', async () => {
      const { votes, accounts, anna, jazz } = await opened(storage);
      must(await cast(votes, anna, jazz, 'up'));
      must(await accounts.update({ id: anna.user }, () => ok({ account: null, mails: [], at: START })));
      const pending = must(await accounts.register(aNewAccount()));
      const sessions = [anna.user, MAX_ID as Session['user'], pending].map((user) => ({
        user,
        credentialVersion: 1,
      }));
      for (const session of sessions) {
        expect(await cast(votes, session, jazz, 'up')).to.deep.equal(SESSION_ENDED);
        expect(await votes.view(jazz, session)).to.deep.equal(ok(viewed(0, 0, 'none')));
      }
    });

    it('takes no vote with a version that the account does not have yet', async () => {
      const { votes, anna, jazz } = await opened(storage);
      const ahead = { ...anna, credentialVersion: anna.credentialVersion + 1 };
      expect(await cast(votes, ahead, jazz, 'up')).to.deep.equal(SESSION_ENDED);
      expect(await votes.view(jazz, anna)).to.deep.equal(ok(viewed(0, 0, 'none')));
    });
  });
}

/** A store with three users and three active streams. */
async function opened(storage: StorageUnderTest) {
  const store: Storage = await storage.open();
  const organization = await anAddedOrganization(store.organizations);
  const anna = await anActivatedUser(store.accounts);
  const ben = await anActivatedUser(store.accounts);
  const voters = [anna, ben, await anActivatedUser(store.accounts)];
  const jazz = (await anAddedStream(store.organizations, organization)).id;
  const folk = (await anAddedStream(store.organizations, organization)).id;
  const streams = [jazz, folk, (await anAddedStream(store.organizations, organization)).id];
  return { ...store, anna, ben, voters, jazz, folk, streams };
}

function cast(votes: VoteRepository, session: Session, stream: StreamId, direction: VoteDirection) {
  return votes.update(session, stream, START, (current) => castVote(current, direction));
}

function viewed(upvotes: number, downvotes: number, vote: VoteState) {
  return { tally: { upvotes, downvotes }, vote };
}

function casts() {
  return fc.record({
    voter: fc.nat({ max: 2 }),
    stream: fc.nat({ max: 2 }),
    direction: fc.constantFrom(...DIRECTIONS),
  });
}

function count(states: readonly VoteState[], direction: VoteDirection): number {
  return states.filter((state) => state === direction).length;
}
