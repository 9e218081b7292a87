import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '@mcr/core';
import { KindError } from './kind-error.ts';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** More characters than this are no list of clusters and no kubeconfig. */
const MOST_OUTPUT = 4 * 1024 * 1024;

/**
 * Runs a program, without a shell, to its end. What it still runs when it is given up is ended with it.
 *
 * @returns what it printed on stdout.
 * @throws {KindError} that tells what it printed on stderr; the signal's reason, when that aborts.
 */
export async function runCommand({ program, args, env, timeout, clock, signal }: Command): Promise<string> {
  signal.throwIfAborted();
  // A process group of its own, so that no engine's client outlives it when the engine hangs.
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const text = `${program} ${args.join(' ')}`;
  const late = new AbortController();
  const onAbort = () => end(child);
  signal.addEventListener('abort', onAbort, { once: true });
  const deadline = clock.schedule(timeout, () => {
    late.abort();
    end(child);
  });
  try {
    const { stdout, stderr, code } = await finished(child);
    signal.throwIfAborted();
    if (late.signal.aborted) throw new KindError('late', `${text}: it has not ended within ${timeout} ms`);
    if (code !== 0) throw new KindError('failed', `${text}: ${stderr.trim() || `exit code ${code}`}`);
    return stdout;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new KindError(
      'missing',
      `there is no program ${JSON.stringify(program)}: install Kind (https://kind.sigs.k8s.io), or say where it is with the option binary`,
      { cause },
    );
  } finally {
    deadline.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code, or the signal that ended it. */
  readonly code: number | string | null;
}

/** Resolves when the program has ended, and nobody writes to its streams any more. */
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

/** Ends a program that has not finished, and what it runs. */
function end(child: Child): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All of it has ended just now.
  }
  child.stdout.destroy();
  child.stderr.destroy();
}
