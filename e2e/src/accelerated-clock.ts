import type { Clock } from '@mcr/core';

/** Returns a clock that runs faster than the machine's by `factor`, so that backoffs and periods take less time. */
export function acceleratedClock(factor: number): Clock {
  return {
    now: () => performance.now() * factor,
    wallTime: () => Date.now(),
    schedule(delay, callback) {
      const timeout = setTimeout(callback, Math.max(delay, 0) / factor);
      return { cancel: () => clearTimeout(timeout) };
    },
  };
}
