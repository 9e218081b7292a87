import { createContext, Script } from 'node:vm';

/** Runs `work` of its context. In Node.js, only the run of a script has a time limit. */
const SCRIPT = new Script('work()');
const context = createContext({ work: undefined });

/** Part of the CPU time after which work counts as too long. The rest is for other threads. */
const ENOUGH = 0.8;
/** Number of times that work starts again on a busy machine, each time with twice the time. */
const MAX_RETRIES = 2;

/** Work did not end within its time. */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
}

/**
 * Calls a function that does not wait, and interrupts it when its time is up, also within a regular expression. Its `catch` and
 * `finally` blocks do not run then. On a busy machine, where it got little of the CPU, it is called again with more time.
 *
 * @param time in milliseconds.
 * @throws {OutOfTimeError} if it was interrupted, and what `work` throws.
 */
export function withinTime<T>(time: number, work: () => T): T {
  context['work'] = work;
  try {
    for (let retries = 0; ; retries += 1) {
      const start = cpuTime();
      try {
        return SCRIPT.runInContext(context, { timeout: time * 2 ** retries }) as T;
      } catch (error) {
        if ((Object(error) as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        if (retries < MAX_RETRIES && cpuTime() - start < ENOUGH * time) continue;
        throw new OutOfTimeError(`not finished after ${time} ms`, { cause: error });
      }
    }
  } finally {
    context['work'] = undefined;
  }
}

/** Returns the time that the process has used, in milliseconds. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
