import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '../clock/clock.ts';
import type { ErrorOutput } from './plugin-output.ts';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** All variables of the process. */
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

/** Maximum size of the standard output, in bytes. */
const MAX_STDOUT = 1024 * 1024;
/**
 * Number of bytes kept from the end of the standard error, which says why a program failed. More than an error shows,
 * so that secrets are found before the text is cut.
 */
const MAX_STDERR = 64 * 1024;

const NOTHING: Written = { stdout: '', stderr: { text: '', isCut: false } };

/**
 * Runs a command without a shell and without input. Kills its process group at the deadline, when its output is too
 * large, and when `signal` aborts.
 *
 * @throws the signal's reason, after an abort.
 */
export function runCommand(
  { command, args, env, deadline }: Command,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const notStarted = ({ code }: NodeJS.ErrnoException) => {
      // The error itself contains the arguments.
      if (code === 'ENOENT') resolve({ outcome: 'not-found' });
      else resolve({ outcome: 'failed', problem: `could not be started (${code})`, ...NOTHING });
    };
    let child: ChildProcess;
    try {
      // Few programs run commands, so the module is loaded here.
      const { spawn } = process.getBuiltinModule('node:child_process');
      // `detached` creates a process group, so that one signal reaches all its processes.
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
    const onAbort = () => kill('was aborted');
    const timer = clock.schedule(deadline, () => kill(`did not finish within ${deadline} ms`));
    signal.addEventListener('abort', onAbort, { once: true });

    let size = 0;
    const stdout = textOf(child.stdout, (chunks, chunk) => {
      size += chunk.length;
      if (size > MAX_STDOUT) kill(`wrote more than ${MAX_STDOUT} bytes`);
      else chunks.push(chunk);
    });
    let isCut = false;
    const stderr = textOf(child.stderr, (chunks, chunk) => {
      chunks.push(chunk);
      isCut ||= Buffer.concat(chunks).length > MAX_STDERR;
      chunks.splice(0, chunks.length, Buffer.concat(chunks).subarray(-MAX_STDERR));
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
      const written = { stdout: stdout(), stderr: { text: stderr(), isCut } };
      const exit = killedBy ? `was killed by ${killedBy}` : `exited with code ${code}`;
      if (signal.aborted) reject(signal.reason as Error);
      else if (killedFor === undefined && code === 0) resolve({ outcome: 'succeeded', ...written });
      else resolve({ outcome: 'failed', problem: killedFor ?? exit, ...written });
    });
  });
}

/** Collects the text of a stream. @param stream `undefined` if the process has no file descriptors left. */
function textOf(stream: Readable | null | undefined, take: (chunks: Buffer[], chunk: Buffer) => void): () => string {
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => take(chunks, chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

/**
 * Kills the process group of `child`. Processes that left the group keep running, and may keep the streams open, so the
 * streams are destroyed.
 */
function killGroup(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group does not exist any more, or the system does not support process groups.
    child.kill('SIGKILL');
  }
}
