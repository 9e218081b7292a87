/**
 * Source of time for every long-running part of the system. Injected, so that tests run in virtual time.
 *
 * Durations and instants are in milliseconds.
 */
export interface Clock {
  /** Returns a monotonic instant. Only differences are meaningful; changes of the wall clock do not affect them. */
  now(): number;
  /** Returns the milliseconds since the Unix epoch, for display. To measure time, use {@link now}. */
  wallTime(): number;
  /**
   * Calls `callback` once, `delay` ms from now. If `delay` ≤ 0, calls it as soon as possible, but not synchronously.
   */
  schedule(delay: number, callback: () => void): Timer;
}

/** A scheduled callback. */
export interface Timer {
  /** Cancels the callback. Does nothing if it has already run or been canceled. */
  cancel(): void;
  /** Lets the process end while the callback is pending. Absent if the timer of the clock never keeps the process alive. */
  unref?(): void;
}

/** Maximum delay of a Node.js timer, in milliseconds. Timers with longer delays fire immediately. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The system clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wallTime: () => Date.now(),
  schedule(delay, callback) {
    return new SystemTimer(setTimeout(callback, Math.min(Math.max(delay, 0), LONGEST_TIMER)));
  },
};

class SystemTimer implements Timer {
  #timeout: NodeJS.Timeout | undefined;

  constructor(timeout: NodeJS.Timeout) {
    this.#timeout = timeout;
  }

  unref(): void {
    this.#timeout?.unref();
  }

  cancel(): void {
    clearTimeout(this.#timeout);
    // The owner may keep a canceled timer, but not its callback.
    this.#timeout = undefined;
  }
}

/**
 * Resolves `delay` ms from now.
 *
 * @throws the reason of `signal` if it aborts first. Leaves no timer.
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
