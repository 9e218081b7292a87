import { setTimeout as delay } from 'node:timers/promises';
import { currentRun } from './backend/run.ts';

/** Default time limit of a condition, in milliseconds: real API servers share this machine with the tests. */
const DEADLINE = currentRun().backend === 'embedded' ? 20_000 : 60_000;

/**
 * Polls until `condition` holds. Unlike `eventually` of `@mcr/core/testing`, it holds no timer during a check, so that
 * a condition can inspect what keeps the process alive. An error of the condition is thrown at once.
 *
 * @param options.within time limit in milliseconds. Default: 20,000 on the embedded backend, 60,000 on others.
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
