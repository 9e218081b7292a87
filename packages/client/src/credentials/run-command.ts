import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '../clock/clock.ts';
import type { ErrorOutput } from './plugin-output.ts';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** In milliseconds. */
  readonly deadline: number;
}

/** The output of a command. It may contain credentials. */
interface Written {
  readonly stdout: string;
  readonly stderr: ErrorOutput;
}

export type CommandResult =
  | ({ readonly outcome: 'succeeded' } & Written)
  | ({ readonly outcome: 'failed'; readonly problem: string } & Written)
  | { readonly outcome: 'not-found' };

/** More bytes than this on the standard output are no credentials. */
const LARGEST_OUTPUT = 1024 * 1024;
/**
 * Number of bytes kept from the end of the standard error, which says why a program failed. More than is shown, so that
 * secrets are found before the text is cut.
 */
const KEPT_STDERR = 64 * 1024;

const NOTHING: Written = { stdout: '', stderr: { text: '', isCut: false } };

/**
 * Runs a command without a shell and without input. When its deadline has passed, when it says too much and when
 * `signal` aborts, it is killed, and so is what it has started and has not left its group.
 *
 * @throws the signal's reason, after the abort.
 */
export function runCommand(
  { command, args, env, deadline }: Command,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const notStarted = ({ code }: NodeJS.ErrnoException) => {
      // The error itself holds the arguments.
      if (code === 'ENOENT') resolve({ outcome: 'not-found' });
      else resolve({ outcome: 'failed', problem: `could not be started (${code})`, ...NOTHING });
    };
    let child: ChildProcess;
    try {
      // A group of its own, so that one signal reaches all of it.
      child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true, windowsHide: true });
    } catch (error) {
      notStarted(error as NodeJS.ErrnoException);
      return;
    }
    let killedFor: string | undefined;
    const kill = (problem: string) => {
      killedFor ??= problem;
      killGroup(child);
    };
    const onAbort = () => kill('was not needed any more');
    const timer = clock.schedule(deadline, () => kill(`gave no answer within ${deadline} ms`));
    signal.addEventListener('abort', onAbort, { once: true });

    let size = 0;
    const stdout = textOf(child.stdout, (chunks, chunk) => {
      size += chunk.length;
      if (size > LARGEST_OUTPUT) kill(`wrote more than ${LARGEST_OUTPUT} bytes`);
      else chunks.push(chunk);
    });
    let isCut = false;
    const stderr = textOf(child.stderr, (chunks, chunk) => {
      chunks.push(chunk);
      isCut ||= Buffer.concat(chunks).length > KEPT_STDERR;
      chunks.splice(0, chunks.length, Buffer.concat(chunks).subarray(-KEPT_STDERR));
    });

    const settle = () => {
      timer.cancel();
      signal.removeEventListener('abort', onAbort);
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      settle();
      notStarted(error);
    });
    child.once('close', (code, killedBy) => {
      settle();
      const said = { stdout: stdout(), stderr: { text: stderr(), isCut } };
      if (signal.aborted) reject(signal.reason as Error);
      else if (killedFor === undefined && code === 0) resolve({ outcome: 'succeeded', ...said });
      else resolve({ outcome: 'failed', problem: killedFor ?? `ended with ${killedBy ?? `code ${code}`}`, ...said });
    });
  });
}

/** @param stream there is none where there are no file descriptors left. */
function textOf(stream: Readable | null | undefined, take: (chunks: Buffer[], chunk: Buffer) => void): () => string {
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => take(chunks, chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

/** What has left the group lives on, and may keep the other ends of the streams: nobody waits for that. */
function killGroup(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has gone already, or the system knows no groups.
    child.kill('SIGKILL');
  }
}
