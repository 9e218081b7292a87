import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { basename } from 'node:path';

/** Number of lines at the end of the log that an error contains. */
const TAIL = 20;

/** A process of `etcd` or `kube-apiserver`. It logs to a file and does not keep this process alive. */
export class Program {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #log: string;
  #end: string | undefined;

  private constructor(path: string, child: ChildProcess, log: string) {
    this.name = basename(path);
    this.#child = child;
    this.#log = log;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#exited = promise;
    const onEnd = (why: string): void => {
      this.#end ??= why;
      resolve();
    };
    child.once('exit', (code, signal) => onEnd(signal ?? `exit code ${code ?? 'unknown'}`));
    child.once('error', (error) => onEnd(error.message));
    child.unref();
  }

  /** @param log path of the file that its output is appended to. */
  static async start(path: string, args: readonly string[], log: string): Promise<Program> {
    const output = await open(log, 'a', 0o600);
    try {
      // Its own process group, so that Ctrl-C reaches only the parent, which decides what to do.
      return new Program(path, spawn(path, args, { detached: true, stdio: ['ignore', output.fd, output.fd] }), log);
    } finally {
      await output.close();
    }
  }

  /** Process id; 0 if it did not start. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Exit code or signal; `undefined` while the process runs. */
  get end(): string | undefined {
    return this.#end;
  }

  /** Returns the end of the log. */
  async tail(): Promise<string> {
    const text = await readFile(this.#log, 'utf8');
    return text.trimEnd().split('\n').slice(-TAIL).join('\n');
  }

  /** Asks the process to end, and kills it if it does not. @param grace time to end, in milliseconds. */
  async stop(grace: number): Promise<void> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), grace);
    await this.#signal('SIGTERM');
    clearTimeout(timer);
  }

  async kill(): Promise<void> {
    await this.#signal('SIGKILL');
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    if (this.#end !== undefined) return;
    this.#child.ref();
    this.#child.kill(signal);
    await this.#exited;
  }
}
