import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { RUN_VARIABLE } from '../backend/run.ts';
import { until } from '../until.ts';

const PROGRAM = join(import.meta.dirname, 'main.ts');

export interface RunnerOptions {
  /** Default: that of this process. */
  readonly path?: string;
  /** The directory in which the user starts it. Default: that of this process. */
  readonly directory?: string;
  /** Further environment variables. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A running `pnpm e2e`, and its output so far. */
export class RunnerProcess implements AsyncDisposable {
  readonly child: ChildProcess;
  /** Resolves with the exit code, or `null` after a signal, and the whole output. */
  readonly ended: Promise<{ readonly code: number | null; readonly printed: string }>;
  #printed = '';

  constructor(args: readonly string[], { path = process.env['PATH'], directory, env: given }: RunnerOptions = {}) {
    const { [RUN_VARIABLE]: _run, INIT_CWD: _directory, ...env } = process.env;
    const child = spawn(process.execPath, ['--conditions=@mcr/source', PROGRAM, ...args], {
      env: { ...env, ...given, PATH: path },
      ...(directory !== undefined && { cwd: directory }),
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => void (this.#printed += String(chunk)));
    this.child = child;
    this.ended = once(child, 'close').then(([code]) => ({ code: code as number | null, printed: this.#printed }));
  }

  /** Resolves once `text` has been printed. */
  async says(text: string): Promise<void> {
    await until(() => this.#printed.includes(text));
  }

  /** Kills the runner, as a crash would. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}
