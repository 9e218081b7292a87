import type { Runnable } from './runnable.ts';
import { runnableText } from './runnable-text.ts';

/** Returns a runnable that runs `runnable` and stops it when `signal` aborts. */
export function limitedRunnable(runnable: Runnable, signal: AbortSignal): Runnable {
  const limited = (run: Runnable['run']) => async (managers: AbortSignal) => {
    const either = AbortSignal.any([managers, signal]);
    if (either.aborted) return;
    try {
      await run(either);
    } catch (error) {
      if (error !== either.reason) throw error;
    }
  };
  return {
    ...(runnable.group && { group: runnable.group }),
    ...(runnable.engageLocal && { engageLocal: true }),
    ...(runnable.engagePrepared && { engagePrepared: true }),
    ...(runnable.engage && { engage: runnable.engage.bind(runnable) }),
    ...(runnable.warmUp && { warmUp: limited(runnable.warmUp.bind(runnable)) }),
    describe: () => runnableText(runnable),
    run: limited(runnable.run.bind(runnable)),
  };
}
