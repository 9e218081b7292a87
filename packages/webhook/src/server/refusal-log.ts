import type { Clock, LogFields, Logger } from '@mcr/core';

/** Time between two lines with the same message about one webhook, in milliseconds. */
const INTERVAL = 10_000;

/** Logs failures of requests at a limited rate, because their number is up to the senders. */
export class RefusalLog {
  readonly #clock: Clock;
  /** Keyed by level, message and webhook. There are a few messages, and webhooks are registered. */
  readonly #lines = new Map<string, { readonly until: number; dropped: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Logs a line, unless the same one was logged in the last 10 s. The next line has the number of dropped ones. */
  log(
    logger: Logger,
    level: 'warn' | 'error',
    message: string,
    fields: LogFields & { readonly webhook: string },
  ): void {
    const key = `${level} ${message} ${fields.webhook}`;
    const now = this.#clock.now();
    const line = this.#lines.get(key);
    if (line && now < line.until) {
      line.dropped += 1;
      return;
    }
    this.#lines.set(key, { until: now + INTERVAL, dropped: 0 });
    const { dropped = 0 } = line ?? {};
    logger[level](message, { ...fields, ...(dropped > 0 && { similar: dropped }) });
  }
}
