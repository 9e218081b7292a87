import type { Clock } from '@mcr/client';
import { Backoff, Semaphore, sleep } from '@mcr/client';
import type { Cluster } from '../cluster/cluster.ts';
import type { ClusterObservation } from '../multicluster/aware.ts';
import type { ClusterInstance } from './cluster-instance.ts';
import { Lifetime } from './lifetime.ts';

export interface ConnectorOptions {
  /** Deadline for a cluster to become ready, in milliseconds. */
  readonly syncTimeout: number;
  /** Maximum number of concurrent connection attempts. */
  readonly concurrency: number;
  readonly clock: Clock;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random: () => number;
}

export interface ConnectOptions {
  readonly report: (observation: ClusterObservation) => void;
  /** Called in each attempt, once the cluster answers. A rejection fails the attempt. */
  readonly prepare: (signal: AbortSignal) => Promise<void>;
}

export interface RotateOptions {
  readonly report: (observation: ClusterObservation) => void;
  readonly onFailure: (error: Error) => void;
}

/** Time after which a cluster that has not answered no longer delays others, in milliseconds. A handshake takes less. */
const SLOT_TIME = 100;

/** Interval of retries, in milliseconds. */
const RETRY = { base: 1_000, max: 300_000 };

/** Connects to clusters and rotates their credentials, a limited number concurrently, and retries failures. */
export class Connector {
  readonly #options: ConnectorOptions;
  readonly #slots: Semaphore;

  constructor(options: ConnectorOptions) {
    this.#options = options;
    this.#slots = new Semaphore(options.concurrency);
  }

  /**
   * Resolves when the cluster has answered and is prepared.
   *
   * @throws the last failure if the instance ends first, or the first one if it gives up after a failure.
   */
  async connect(instance: ClusterInstance<Cluster>, options: ConnectOptions): Promise<void> {
    const { signal } = instance;
    const { report } = options;
    const backoff = this.#backoff();
    report({ phase: 'Connecting', reason: 'waiting for its API server to answer' });
    for (;;) {
      try {
        await this.#try(instance, options);
        return;
      } catch (error) {
        if (signal.aborted || instance.onFailure === 'give up') throw error;
        report(failureOf(error as Error));
        await sleep(this.#options.clock, backoff.next(), signal).catch(() => undefined);
      }
    }
  }

  /**
   * Applies the credentials of `to` to `instance`, and retries until other credentials are requested. Until it
   * succeeds, the cluster keeps its current credentials.
   *
   * @throws the first failure if `to` gives up after a failure.
   */
  async rotate(
    instance: ClusterInstance<Cluster>,
    to: ClusterInstance<Cluster>,
    { report, onFailure }: RotateOptions,
  ): Promise<void> {
    const { signal } = instance.beginRotation(to);
    const isOver = () => signal.aborted;
    const backoff = this.#backoff();
    while (!isOver()) {
      try {
        await instance.cluster.rotate(to.config);
        if (isOver()) return;
        instance.endRotation();
        report({ phase: 'Connecting', reason: 'its credentials were rotated in place' });
      } catch (thrown) {
        if (isOver()) throw thrown;
        const error = thrown as Error;
        const reason = `its new credentials cannot be used: ${error.message}`;
        report({ phase: 'Unreachable', reason, error });
        onFailure(error);
        if (to.onFailure === 'give up') throw error;
        await sleep(this.#options.clock, backoff.next(), signal).catch(() => undefined);
      }
    }
  }

  async #try({ cluster, signal }: ClusterInstance<Cluster>, { report, prepare }: ConnectOptions): Promise<void> {
    const { clock, syncTimeout } = this.#options;
    const release = await this.#slots.acquire(signal);
    const slot = clock.schedule(SLOT_TIME, release);
    const attempt = new Lifetime(signal);
    const deadline = clock.schedule(syncTimeout, () => attempt.end(`it was not ready within ${syncTimeout} ms`));
    try {
      await cluster.ready(attempt.signal, { onFailure: (error) => report(failureOf(error)) });
      await prepare(attempt.signal);
    } finally {
      slot.cancel();
      deadline.cancel();
      attempt.complete();
      release();
    }
  }

  #backoff(): Backoff {
    return new Backoff({ ...RETRY, random: this.#options.random });
  }
}

function failureOf(error: Error): ClusterObservation {
  return { phase: 'Unreachable', reason: error.message, error };
}
