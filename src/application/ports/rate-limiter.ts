/** At most `limit` admitted requests in any interval of `seconds`. */
export interface RateWindow {
  readonly seconds: number;
  readonly limit: number;
}

/** One counter: the windows it must keep, and whose requests it counts. */
export interface RateQuota {
  readonly key: string;
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
   * Admits a request if every window of every quota has room, and then counts it in all of them; else counts it
   * nowhere, so refused requests do not lengthen the wait. One atomic step, also among concurrent calls.
   */
  admit(quotas: readonly RateQuota[]): Promise<Admission>;
}
