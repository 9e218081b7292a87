import { monitorEventLoopDelay } from 'node:perf_hooks';

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
  await work();
  // The next timer tick records the last stall.
  await new Promise((resolve) => setTimeout(resolve, 10));
  delay.disable();
  return { p99: delay.percentile(99) / 1e6 - RESOLUTION, max: delay.max / 1e6 - RESOLUTION };
}
