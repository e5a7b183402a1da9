/** At most `limit` admitted requests in any interval of `seconds`. */
export interface RateWindow {
  readonly seconds: number;
  readonly limit: number;
}

/** One counter of a client: which of its requests are counted, and the windows they must keep. */
export interface RateQuota {
  /** Comes with the same windows every time, and once in a call. */
  readonly name: string;
  readonly windows: readonly RateWindow[];
}

/** How one window stands after a request. */
export interface WindowState extends RateWindow {
  /** Requests that would still be admitted now. */
  readonly remaining: number;
  /** Milliseconds until one more request would be admitted (0 while some remain). */
  readonly waitMilliseconds: number;
}

export interface Admission {
  readonly admitted: boolean;
  /** In the order of the quotas and their windows. */
  readonly windows: readonly WindowState[];
}

/** Counts requests in sliding windows. */
export interface RateLimiter {
  /**
   * Admits a client's request if every window of every quota has room, and then counts it in all of them; else counts
   * it nowhere, so refused requests do not lengthen the wait. One atomic step, also among concurrent calls.
   * Rejects only when the place where it counts cannot be reached.
   */
  admit(client: string, quotas: readonly RateQuota[]): Promise<Admission>;
}
