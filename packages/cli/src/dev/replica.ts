import type { LocalEndpoints } from '../project/project.ts';
import { probe } from './probe.ts';
import { Program, type ProgramOptions } from './program.ts';

export interface ReplicaOptions extends ProgramOptions {
  /** Name in messages. */
  readonly name: string;
  /** Without health checks, the replica counts as ready when it runs. */
  readonly endpoints: LocalEndpoints;
  /** Called when the program ends by itself. */
  readonly onEnd: (reason: string) => void;
}

/** Result of a wait for a start. */
export type Start = 'started' | 'ended' | 'cancelled';

/** A replica of the program: one process at a time. */
export class Replica {
  readonly #options: ReplicaOptions;
  #program: Program | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get endpoints(): LocalEndpoints {
    return this.#options.endpoints;
  }

  get isRunning(): boolean {
    return this.#program !== undefined;
  }

  /** Starts the program. The one before must have ended. */
  start(): void {
    const program = new Program(this.#options);
    this.#program = program;
    void program.ended.then((reason) => {
      if (this.#program === program) this.#program = undefined;
      if (!program.isStopped) this.#options.onEnd(reason);
    });
  }

  /** Waits until `manager.start` of the program serves the health checks. */
  started(signal: AbortSignal): Promise<Start> {
    return this.#answers(signal, () => true);
  }

  /** Waits until the program is ready, as the kubelet sees it. */
  ready(signal: AbortSignal): Promise<Start> {
    return this.#answers(signal, (status) => status === 200);
  }

  /** Ends the program, if it runs. */
  async stop(): Promise<void> {
    await this.#program?.stop();
  }

  /** Kills the program, if it runs. */
  kill(): void {
    this.#program?.kill();
  }

  async #answers(signal: AbortSignal, accepts: (status: number) => boolean): Promise<Start> {
    const program = this.#program;
    if (!program) return 'ended';
    const { health } = this.endpoints;
    const end = new AbortController();
    void program.ended.then(() => end.abort());
    const stop = AbortSignal.any([signal, end.signal]);
    await Promise.race([program.begun, whenAborted(stop)]);
    if (health !== undefined) await probe(`${health}/readyz`, stop, accepts);
    if (end.signal.aborted) return 'ended';
    return signal.aborted ? 'cancelled' : 'started';
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
