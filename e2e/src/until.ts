import { setTimeout as delay } from 'node:timers/promises';

/** Of each thing that a test waits for, in milliseconds. */
const DEADLINE = 20_000;

/** Looks until `condition` holds. @throws when it does not within the deadline. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const started = performance.now();
  while (!(await condition())) {
    if (performance.now() - started > DEADLINE) throw new Error(`not within ${DEADLINE} ms: ${condition.toString()}`);
    await delay(10);
  }
}
