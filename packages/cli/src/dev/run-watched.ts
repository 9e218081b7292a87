import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Time for the program to end after the signal, in milliseconds. Then it is killed. */
const GRACE = 15_000;

/** Where and how a program runs. */
export interface WatchedOptions {
  readonly directory: string;
  /** Variables beside those of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends the program. */
  readonly signal: AbortSignal;
}

/**
 * Runs a program of Node.js, and restarts it when one of its files changes. Resolves when it has ended. No process of it is left
 * then.
 */
export async function runWatched(file: string, { directory, env, signal }: WatchedOptions): Promise<void> {
  if (signal.aborted) return;
  const argv = [...process.execArgv, '--watch', '--watch-preserve-output', file];
  const child = spawn(process.execPath, argv, {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    // A group of its own: the watcher and the program get one signal each, and can be killed together.
    detached: true,
  });
  const ended = once(child, 'close');
  const { pid } = child;
  const send = (name: 'SIGTERM' | 'SIGKILL'): void => {
    try {
      if (pid !== undefined) process.kill(-pid, name);
    } catch (error) {
      // The group has ended.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    send('SIGTERM');
    timer = setTimeout(() => {
      send('SIGKILL');
    }, GRACE);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    await ended;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    send('SIGKILL');
  }
}
