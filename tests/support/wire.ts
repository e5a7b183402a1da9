/** What the service sends, as the specification's tables have it. */
export interface WireError {
  readonly statusCode: number;
  readonly message: string;
}
export interface WireSong {
  readonly title: string;
  readonly artist: string;
  readonly cover: string | null;
  readonly songDuration: number;
  readonly songStartedAt: number;
  readonly next: { readonly title: string; readonly artist: string; readonly cover: string | null } | null;
}
export interface WireStream {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly tags: readonly string[];
  readonly organization: { readonly id: number; readonly name: string; readonly image: string };
  readonly song: WireSong;
  readonly isStreamOfTheMonth: boolean;
  readonly isNewcomerOfTheMonth: boolean;
  readonly isRecentPopularStream: boolean;
  readonly isTopVotedStream: boolean;
}
export interface WireHistory {
  readonly current: {
    readonly id: string;
    readonly title: string;
    readonly artist: string;
    readonly cover: string;
  };
  readonly next: WireSong['next'];
  readonly history: readonly {
    readonly id: number;
    readonly title: string;
    readonly artist: string;
    readonly cover: string;
    readonly playedAt: string;
  }[];
}
export interface WireVotes {
  readonly upvotes: number;
  readonly downvotes: number;
  readonly score: number;
  readonly userVote: 'up' | 'down' | null;
}

/** The body of a response, read as `T`. */
export function json<T>(response: { readonly text: string }): T {
  return JSON.parse(response.text) as T;
}
