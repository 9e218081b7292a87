import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Sampling interval of the event loop, in milliseconds. */
const RESOLUTION = 1;

/** Stalls of the event loop, in milliseconds. */
export interface Stall {
  readonly p99: number;
  readonly max: number;
}

/** Measures how long turns of the event loop last while `work` runs. */
export async function measureStall(work: () => Promise<unknown>): Promise<Stall> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  // The first timer tick is the start of the first interval.
  await sleep(3 * RESOLUTION);
  await work();
  // The next timer tick records the last stall.
  await sleep(10 * RESOLUTION);
  delay.disable();
  const stall = (nanoseconds: number) => Math.max(nanoseconds / 1e6 - RESOLUTION, 0);
  return { p99: stall(delay.percentile(99)), max: stall(delay.max) };
}
