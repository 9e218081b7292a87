/**
 * Time as every long-running part of the system sees it. Injected, so that tests run in virtual time.
 *
 * Durations and instants are milliseconds.
 */
export interface Clock {
  /** A monotonic instant: only differences mean anything, and a change of the wall clock never shows in them. */
  now(): number;
  /** Milliseconds since the Unix epoch, for people to read. Never compare two of them to measure time. */
  wallTime(): number;
  /** Calls `callback` once, `delay` ms from now (at once, but not synchronously, when `delay` ≤ 0). */
  schedule(delay: number, callback: () => void): Timer;
}

export interface Timer {
  /** Forgets the callback. Harmless when it has run, and when called again. */
  cancel(): void;
}

/** The longest delay that one Node.js timer can hold; longer ones fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wallTime: () => Date.now(),
  schedule(delay, callback) {
    const timeout = setTimeout(callback, Math.min(Math.max(delay, 0), LONGEST_TIMER));
    return { cancel: () => clearTimeout(timeout) };
  },
};

/**
 * Resolves `delay` ms from now.
 *
 * @throws the signal's reason, when `signal` aborts first. No timer is left behind.
 */
export function sleep(clock: Clock, delay: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(signal.reason as Error);
    };
    const timer = clock.schedule(delay, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
