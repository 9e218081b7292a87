import { setTimeout as delay } from 'node:timers/promises';
import { currentRun } from './backend/run.ts';

/** How long a condition may take to hold, in milliseconds: real API servers share this machine with the tests. */
const DEADLINE = currentRun().backend === 'embedded' ? 20_000 : 60_000;

/**
 * Looks until `condition` holds. Unlike `eventually` of `@mcr/core/testing` it holds no timer while it looks, so that a
 * condition may ask what keeps the process alive; and what the condition throws is an error at once.
 *
 * @param options.within milliseconds. Default: 20,000 on the embedded backend, 60,000 on others.
 * @throws when it does not within that time.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { within = DEADLINE }: { readonly within?: number } = {},
): Promise<void> {
  const started = performance.now();
  while (!(await condition())) {
    if (performance.now() - started > within) throw new Error(`not within ${within} ms: ${condition.toString()}`);
    await delay(10);
  }
}
