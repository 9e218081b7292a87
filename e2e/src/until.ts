import { setTimeout as delay } from 'node:timers/promises';

/**
 * Default time limit of a condition, in milliseconds. It ends a test that hangs, and is far beyond what any condition
 * needs: API servers and other work share this machine with the tests.
 */
const DEADLINE = 120_000;

/**
 * Polls until `condition` holds. Unlike `eventually` of `@mcr/core/testing`, it holds no timer during a check, so that
 * a condition can inspect what keeps the process alive. An error of the condition is thrown at once.
 *
 * @param options.within time limit in milliseconds, for a behaviour that has one. Default: 120,000.
 * @throws {Error} if the condition does not hold in time.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { within = DEADLINE }: { readonly within?: number } = {},
): Promise<void> {
  const started = performance.now();
  while (!(await condition())) {
    if (performance.now() - started > within)
      throw new Error(`condition not met within ${within} ms: ${condition.toString()}`);
    await delay(10);
  }
}
