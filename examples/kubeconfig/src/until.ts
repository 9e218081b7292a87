import { setTimeout as delay } from 'node:timers/promises';

/** Between two looks, in milliseconds. */
const INTERVAL = 10;

export interface UntilOptions {
  /** Milliseconds. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/**
 * Resolves when `condition` holds, looked at again and again.
 *
 * @param what names the condition in the error.
 * @throws when the condition does not hold by the deadline, when it throws, and when `signal` aborts.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  { deadline, signal }: UntilOptions,
): Promise<void> {
  const started = performance.now();
  while (!(await condition())) {
    if (performance.now() - started > deadline) throw new Error(`not within ${deadline / 1000} s: ${what}`);
    await delay(INTERVAL, undefined, { signal });
  }
}
