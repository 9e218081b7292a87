import type { BackoffPolicy, Logger } from '@mcr/client';
import { Backoff, orAborted, sleep, untilAborted } from '@mcr/client';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import { type ClusterName, LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import type { Manager } from './manager.ts';
import type { Runnable, RunnableGroup } from './runnable.ts';
import { UpkeepReport } from './upkeep-report.ts';

/** A task that brings one cluster to the wanted state. */
export interface UpkeepTask {
  readonly name: ClusterName;
  readonly cluster: Cluster;
  readonly log: Logger;
  /** Aborts when the cluster leaves, is no longer selected, or the manager stops. */
  readonly signal: AbortSignal;
  /**
   * Reports one part of the task in the fleet status, and logs a new problem once. A problem leads to a retry.
   *
   * @param source name of the part in the fleet status, for example `definition carts.shop.example.com`.
   */
  report(source: string, problem?: Error): void;
  /**
   * Reports that one part of the task waits for something that others create. It is retried like a problem. The cluster is
   * `Syncing` meanwhile. After 60 s, it counts as a problem.
   */
  wait(source: string, missing: Error): void;
}

/** Options of {@link ClusterUpkeep}. */
export interface ClusterUpkeepOptions {
  readonly manager: Pick<Manager, 'clock' | 'logger' | 'fleet' | 'elected' | 'slots' | 'ownership'>;
  /** Name of the runnable in logs and errors. */
  readonly description: string;
  /** Name of the controller in the fleet status. */
  readonly controller: string;
  /** Log message of a problem. */
  readonly problemMessage: string;
  readonly group: RunnableGroup;
  readonly engageLocal: boolean;
  /** Asked when a cluster is engaged, and when its description changes. */
  readonly isSelected: (name: ClusterName, cluster: Cluster) => boolean | Promise<boolean>;
  /** Delays after a problem. */
  readonly retry: BackoffPolicy;
  /** Time between two runs, in milliseconds, with a jitter of 10 %. */
  readonly resync: number;
  /** Brings a cluster to the wanted state. A rejection counts as a problem, too, and is logged. */
  readonly keep: (task: UpkeepTask) => Promise<void>;
  /**
   * Called when a cluster has left, or was no longer selected, for the time `leaveDelay`. Not called when the manager stops.
   * `signal` aborts then. Must not reject.
   */
  readonly ended?: (name: ClusterName, cluster: Cluster, signal: AbortSignal) => Promise<void>;
  /**
   * In milliseconds. A cluster that is replaced or handed over comes back, and a manager that stops first disengages its
   * clusters. Default: 30,000.
   */
  readonly leaveDelay?: number;
}

const JITTER = 0.1;
const LEAVE_DELAY = 30_000;

/**
 * Runs a task for each selected cluster: when it is engaged, again after a problem with backoff, after `resync`, and when
 * {@link wake} is called. Without sharding, only the leader runs it. With sharding, the owner of each cluster does, that of
 * the local cluster included. Clusters do not affect one another.
 */
export class ClusterUpkeep implements Runnable {
  readonly group: RunnableGroup;
  readonly engageLocal: boolean;
  readonly #options: ClusterUpkeepOptions;
  readonly #kept = new Map<ClusterName, Cluster>();
  readonly #work = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  /** Aborts the sleep of all loops. */
  #wake = new AbortController();

  constructor(options: ClusterUpkeepOptions) {
    this.#options = options;
    this.group = options.group;
    this.engageLocal = options.engageLocal;
  }

  describe(): string {
    return this.#options.description;
  }

  async run(signal: AbortSignal): Promise<void> {
    await untilAborted(signal);
    this.#stop.abort(signal.reason);
    await Promise.all(this.#work);
  }

  async engage(name: ClusterName, cluster: Cluster, engaged: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([engaged, this.#stop.signal]);
    this.#track(this.#follow(name, cluster, signal));
  }

  /** The clusters that the task runs for. */
  get kept(): ReadonlyMap<ClusterName, Cluster> {
    return this.#kept;
  }

  /** Runs the task for all clusters now. */
  wake(): void {
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  #track(work: Promise<void>): void {
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }

  /** Runs the task while the cluster is selected, until `signal` aborts. Never rejects. */
  async #follow(name: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<void> {
    const { manager, controller, problemMessage } = this.#options;
    const log = manager.logger.child({ cluster: name });
    const { clock, fleet } = manager;
    const report = new UpkeepReport({ recorder: fleet.recorder, name, controller, problemMessage, log, clock });
    while (!signal.aborted) {
      const changed = new AbortController();
      const change = () => changed.abort();
      const ignore = [cluster.onDescribed(change), ...this.#onOwnership(name, change)];
      const until = AbortSignal.any([signal, changed.signal]);
      try {
        if (await this.#isSelected(name, cluster)) await this.#keep(name, cluster, report, log, until);
        this.#leave(name, cluster, report);
        await untilAborted(until);
      } catch (error) {
        if (!until.aborted) {
          log.error('failed to select the cluster', { error });
          await untilAborted(until);
        }
      } finally {
        for (const stop of ignore) stop();
      }
    }
    this.#leave(name, cluster, report);
  }

  #leave(name: ClusterName, cluster: Cluster, report: UpkeepReport): void {
    report.stopped();
    if (this.#kept.get(name) !== cluster) return;
    this.#kept.delete(name);
    this.#track(this.#end(name, cluster));
  }

  async #end(name: ClusterName, cluster: Cluster): Promise<void> {
    const { manager, ended, leaveDelay = LEAVE_DELAY } = this.#options;
    const { signal } = this.#stop;
    if (!ended) return;
    await sleep(manager.clock, leaveDelay, signal).catch(() => undefined);
    if (!signal.aborted && !this.#kept.has(name)) await ended(name, cluster, signal);
  }

  async #isSelected(name: ClusterName, cluster: Cluster): Promise<boolean> {
    const { ownership } = this.#options.manager;
    if (name === LOCAL_CLUSTER && ownership && ownership.stateOf(name) !== 'active') return false;
    return this.#options.isSelected(name, cluster);
  }

  /** With sharding, every replica is engaged with the local cluster, and one of them owns it. */
  *#onOwnership(name: ClusterName, listener: () => void): Iterable<() => void> {
    const { ownership } = this.#options.manager;
    if (name !== LOCAL_CLUSTER || !ownership) return;
    yield ownership.onChange((changes) => {
      if (changes.has(name)) listener();
    });
  }

  /** Runs the task again and again. @throws the reason of `signal` when it aborts. */
  async #keep(
    name: ClusterName,
    cluster: Cluster,
    report: UpkeepReport,
    log: Logger,
    signal: AbortSignal,
  ): Promise<never> {
    const { manager, retry, resync } = this.#options;
    const backoff = new Backoff(retry);
    const resyncs = new Backoff({ base: resync, max: resync, jitter: JITTER });
    if (!manager.slots) await orAborted(manager.elected, signal);
    signal.throwIfAborted();
    this.#kept.set(name, cluster);
    for (;;) {
      const { signal: woken } = this.#wake;
      const failed = await this.#run({ name, cluster, log, signal }, report);
      signal.throwIfAborted();
      if (!failed) backoff.reset();
      const delay = failed ? backoff.next() : resyncs.next();
      await sleep(manager.clock, delay, AbortSignal.any([signal, woken])).catch(() => signal.throwIfAborted());
    }
  }

  /** @returns whether there was a problem. */
  async #run(task: Omit<UpkeepTask, 'report' | 'wait'>, report: UpkeepReport): Promise<boolean> {
    let failed = false;
    try {
      await this.#options.keep({
        ...task,
        report: (source, problem) => {
          task.signal.throwIfAborted();
          report.report(source, problem);
          failed ||= problem !== undefined;
        },
        wait: (source, missing) => {
          task.signal.throwIfAborted();
          report.wait(source, missing);
          failed = true;
        },
      });
    } catch (error) {
      task.signal.throwIfAborted();
      task.log.error(this.#options.problemMessage, { error });
      failed = true;
    }
    return failed;
  }
}
