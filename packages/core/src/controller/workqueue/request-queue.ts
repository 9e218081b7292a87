export interface AddOptions {
  /** Not before so many milliseconds from now, or after the rate limiter's `'backoff'`. Default: 0. */
  readonly after?: number | 'backoff';
  /** Higher ones are handed out first. Default: 0. */
  readonly priority?: number;
}

/** The end of a queue that requests are put into. */
export interface RequestQueue<R> {
  /**
   * Asks for a request to be handed out. A key that is pending already is handed out once, with the higher of both
   * priorities and at the earlier of both instants; one that is being processed, again after it is done.
   *
   * @throws {RangeError} when an option is not a number.
   */
  add(request: R, options?: AddOptions): void;
}
