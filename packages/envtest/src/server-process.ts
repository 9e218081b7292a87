import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import type { ApiServerOptions, Command, Result } from '@mcr/apiserver';
import { type Call, replySchema } from '@mcr/apiserver/protocol';

interface Pending {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Entry point of the server process, in the sources and in the built package. Node.js runs the TypeScript sources
 * directly.
 */
const entry = createRequire(import.meta.url).resolve('@mcr/apiserver/main');
const fromSources = entry.endsWith('.ts');
const execArgv = fromSources ? ['--conditions=@mcr/source'] : [];

/** Time in which the process ends after it was asked to, in milliseconds. */
const STOP_TIMEOUT = 10_000;

/** A child process that runs API servers. It ends when this process ends, even if this process is killed. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  readonly #exited: Promise<void>;
  #lastId = 0;

  private constructor() {
    this.#child = fork(entry, { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#child.on('message', (message) => this.#settle(message));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#exited = promise;
    const onEnd = (why: string): void => {
      for (const { reject } of this.#pending.values()) reject(new Error(`the API server process ended: ${why}`));
      this.#pending.clear();
      resolve();
    };
    this.#child.once('exit', (code, signal) => onEnd(signal ?? `exit code ${code ?? 'unknown'}`));
    this.#child.once('error', (error) => onEnd(error.message));
    this.#letGo();
  }

  static async start(options: ApiServerOptions): Promise<ServerProcess> {
    const server = new ServerProcess();
    try {
      await server.call({ method: 'start', ...options });
    } catch (error) {
      await server.kill();
      throw error;
    }
    return server;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** @throws {Error} with the error of the server, or if the process has ended. */
  async call(command: Command): Promise<Result> {
    if (!this.#child.connected) throw new Error('the API server process is not running: call restart()');
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#pending.set(id, { resolve, reject });
    this.#hold();
    const call: Call = { id, command };
    this.#child.send(call, (error) => {
      if (error) reject(new Error('the API server process ended', { cause: error }));
    });
    try {
      return await promise;
    } finally {
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#letGo();
    }
  }

  /** Ends the process gracefully, or kills it if it does not end in time, for example because it is frozen. */
  async stop(): Promise<void> {
    if (!this.running) return;
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT);
    try {
      this.#child.ref();
      if (this.#child.connected) {
        await this.call({ method: 'stop' }).catch(() => undefined);
      }
      this.#disconnect();
      await this.#exited;
    } finally {
      clearTimeout(timer);
    }
  }

  #disconnect(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  /** Kills the process immediately, as in a crash. */
  async kill(): Promise<void> {
    this.#child.ref();
    this.#child.kill('SIGKILL');
    if (this.running) await this.#exited;
  }

  #settle(message: unknown): void {
    const reply = replySchema.parse(message);
    const pending = this.#pending.get(reply.id);
    if (reply.ok) pending?.resolve(reply.result);
    else pending?.reject(new Error(reply.error));
  }

  /** Keeps this process alive while it waits for a response. */
  #hold(): void {
    this.#child.ref();
    this.#child.channel?.ref();
  }

  /** Lets this process exit. The server process then exits, too. */
  #letGo(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }
}
