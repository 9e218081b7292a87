import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '@mcr/core';
import { KindError } from './kind-error.ts';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Timeout in milliseconds. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Maximum number of characters of output. A longer one is neither a list of clusters nor a kubeconfig. */
const MOST_OUTPUT = 4 * 1024 * 1024;

/** Time after the timeout for the output that a program wrote in time, in milliseconds. */
const READING_TIME = 50;

/**
 * Runs a program without a shell. After the timeout or the abort, the program and its child processes are killed.
 *
 * @returns the standard output.
 * @throws {KindError} with the standard error as its message, or the reason of `signal`.
 */
export async function runCommand({ program, args, env, timeout, clock, signal }: Command): Promise<string> {
  signal.throwIfAborted();
  // A separate process group, so that a client of a hanging container engine is killed, too.
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const text = `${program} ${args.join(' ')}`;
  const late = new AbortController();
  const onAbort = () => end(child);
  signal.addEventListener('abort', onAbort, { once: true });
  let kill: NodeJS.Timeout | undefined;
  const deadline = clock.schedule(timeout, () => {
    // After a pause of this process, the output of a program that ended in time is read only now.
    kill = setTimeout(() => {
      late.abort();
      end(child);
    }, READING_TIME);
  });
  try {
    const { stdout, stderr, code } = await finished(child);
    signal.throwIfAborted();
    if (late.signal.aborted) throw new KindError('late', `${text}: timed out after ${timeout} ms`);
    if (code !== 0) throw new KindError('failed', `${text}: ${stderr.trim() || `exit code ${code}`}`);
    return stdout;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new KindError(
      'missing',
      `program ${JSON.stringify(program)} not found: install Kind (https://kind.sigs.k8s.io), or set option "binary"`,
      { cause },
    );
  } finally {
    deadline.cancel();
    clearTimeout(kill);
    signal.removeEventListener('abort', onAbort);
  }
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code, or the signal that killed it. */
  readonly code: number | string | null;
}

/** Resolves when the program has ended and its streams are closed. */
function finished(child: Child): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        printed[name] += chunk;
        if (printed[name].length > MOST_OUTPUT) end(child);
      });
    }
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ ...printed, code: code ?? signal }));
  });
}

/** Kills a program and its child processes. */
function end(child: Child): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process group no longer exists.
  }
  child.stdout.destroy();
  child.stderr.destroy();
}
