import { setTimeout as sleep } from 'node:timers/promises';

/** Interval at which a process is looked for, in milliseconds. */
const INTERVAL = 250;

/** Whether a process exists. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Resolves when a process has ended. @throws the reason of the signal after it. */
export async function whenEnded(pid: number, signal: AbortSignal): Promise<void> {
  while (isRunning(pid)) await sleep(INTERVAL, undefined, { signal });
}
