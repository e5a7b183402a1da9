export type VoteDirection = 'up' | 'down';
export type VoteState = 'none' | VoteDirection;

/** What casting a vote did, and the state it led to. */
export type VoteTransition =
  | { readonly outcome: 'saved' | 'updated'; readonly next: VoteDirection }
  | { readonly outcome: 'removed'; readonly next: 'none' };

/** Casting the same direction twice takes the vote back. (spec.md 3.1) */
export function castVote(current: VoteState, cast: VoteDirection): VoteTransition {
  if (current === cast) return { outcome: 'removed', next: 'none' };
  return { outcome: current === 'none' ? 'saved' : 'updated', next: cast };
}

/** How many votes of each direction a stream holds. */
export interface VoteTally {
  readonly upvotes: number;
  readonly downvotes: number;
}
export const NO_VOTES: VoteTally = { upvotes: 0, downvotes: 0 };

/** The tally after one vote went from `before` to `after`. */
export function recount(tally: VoteTally, before: VoteState, after: VoteState): VoteTally {
  const change = (direction: VoteDirection) => Number(after === direction) - Number(before === direction);
  return { upvotes: tally.upvotes + change('up'), downvotes: tally.downvotes + change('down') };
}

export function score(tally: VoteTally): number {
  return tally.upvotes - tally.downvotes;
}
