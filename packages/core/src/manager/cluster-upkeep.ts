import type { BackoffPolicy, Logger } from '@mcr/client';
import { Backoff, orAborted, sleep, untilAborted } from '@mcr/client';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import { type ClusterName, LOCAL_CLUSTER } from '../fleet/multicluster/cluster-name.ts';
import { decideInTime } from './decide-in-time.ts';
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
   * Reports one part of the task in the fleet status, and logs a new failure once. A failed part leads to a retry.
   *
   * @param part its name in the fleet status, for example `CRD carts.shop.example.com`.
   */
  report(part: string, failure?: Error): void;
  /**
   * Reports that one part of the task waits for something that others create. It is retried like a failure. The cluster is
   * `Syncing` meanwhile. After 60 s, it counts as a failure.
   */
  wait(part: string, missing: Error): void;
}

/** Options of {@link createClusterUpkeep}. */
export interface ClusterUpkeepOptions {
  readonly manager: Pick<Manager, 'clock' | 'logger' | 'fleet' | 'elected' | 'isLeader' | 'slots' | 'ownership'>;
  /** Name of the runnable in logs and errors. */
  readonly description: string;
  /** Name of the controller in the fleet status. */
  readonly controller: string;
  /** Names of the parts that `reconcile` reports. A selected cluster is `Syncing` until its first run has reported them. */
  readonly parts: readonly string[];
  /** Log message of a failure. */
  readonly failureMessage: string;
  readonly group: RunnableGroup;
  readonly engageLocal: boolean;
  /**
   * Asked when a cluster is engaged, and when its description changes. If it fails, or has not decided after 10 s, the task
   * does not run for the cluster, and it is asked again with the delays of `retry`.
   */
  readonly isSelected: (name: ClusterName, cluster: Cluster) => boolean | Promise<boolean>;
  /** Delays after a failure. */
  readonly retry: BackoffPolicy;
  /** Time between two runs, in milliseconds, with a jitter of 10 %. */
  readonly checkInterval: number;
  /** Brings a cluster to the wanted state. A rejection counts as a failure, too, and is logged. */
  readonly reconcile: (task: UpkeepTask) => Promise<void>;
  /**
   * Called when a cluster has left, or was no longer selected, for the time `leaveDelay`. Not called when the manager stops.
   * `signal` aborts then. Must not reject.
   */
  readonly onLeft?: (name: ClusterName, cluster: Cluster, signal: AbortSignal) => Promise<void>;
  /**
   * In milliseconds. A cluster that is replaced or handed over comes back, and a manager that stops first disengages its
   * clusters. Default: 30,000.
   */
  readonly leaveDelay?: number;
}

const JITTER = 0.1;
const LEAVE_DELAY = 30_000;

/** A task that runs for each selected cluster. See {@link createClusterUpkeep}. */
export interface ClusterUpkeep extends Runnable {
  /** The clusters that the task runs for. */
  readonly clusters: ReadonlyMap<ClusterName, Cluster>;
  /** Runs the task for all clusters now. */
  runNow(): void;
}

/**
 * Creates a runnable that runs a task for each selected cluster: when it is engaged, again after a failure with backoff, after `checkInterval`, and
 * when `runNow` is called. Without sharding, only the leader runs it. With sharding, the owner of each cluster does, that of
 * the local cluster included. Clusters do not affect one another.
 */
export function createClusterUpkeep(options: ClusterUpkeepOptions): ClusterUpkeep {
  return new UpkeepRunnable(options);
}

class UpkeepRunnable implements ClusterUpkeep {
  readonly group: RunnableGroup;
  readonly engageLocal: boolean;
  readonly #options: ClusterUpkeepOptions;
  readonly #clusters = new Map<ClusterName, Cluster>();
  readonly #work = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  /** Aborts the sleep of all loops. */
  #sleepEnd = new AbortController();

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
    await new Promise<void>((resolve) => this.#track(this.#follow(name, cluster, signal, resolve)));
  }

  get clusters(): ReadonlyMap<ClusterName, Cluster> {
    return this.#clusters;
  }

  runNow(): void {
    this.#sleepEnd.abort();
    this.#sleepEnd = new AbortController();
  }

  #track(work: Promise<void>): void {
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }

  /**
   * Runs the task while the cluster is selected, until `signal` aborts. Never rejects. Calls `onDecided` when the fleet
   * status shows whether the task runs.
   */
  async #follow(name: ClusterName, cluster: Cluster, signal: AbortSignal, onDecided: () => void): Promise<void> {
    const { manager, controller, parts, failureMessage, retry } = this.#options;
    const log = manager.logger.child({ cluster: name });
    const { clock, fleet } = manager;
    const report = new UpkeepReport({ recorder: fleet.recorder, name, controller, failureMessage, log, clock });
    const backoff = new Backoff(retry);
    let hasFailed = false;
    while (!signal.aborted) {
      const changed = new AbortController();
      const change = () => changed.abort();
      const ignore = [cluster.onDescribed(change), ...this.#onOwnership(name, change)];
      const until = AbortSignal.any([signal, changed.signal]);
      try {
        const isSelected = await decideInTime(this.#isSelected(name, cluster), { clock, signal: until });
        hasFailed = false;
        backoff.reset();
        if (isSelected) {
          if (!manager.slots && !manager.isLeader()) {
            // A replica that does not lead shows nothing.
            onDecided();
            await orAborted(manager.elected, until);
          }
          report.begin(parts);
          onDecided();
          await this.#reconcile(name, cluster, report, log, until);
        }
        this.#leave(name, cluster, report);
        onDecided();
        await untilAborted(until);
      } catch (error) {
        if (!until.aborted) {
          log[hasFailed ? 'debug' : 'error']('failed to select the cluster, retrying', { error });
          hasFailed = true;
          this.#leave(name, cluster, report);
          onDecided();
          await sleep(clock, backoff.next(), until).catch(() => undefined);
        }
      } finally {
        for (const stop of ignore) stop();
      }
    }
    this.#leave(name, cluster, report);
    onDecided();
  }

  #leave(name: ClusterName, cluster: Cluster, report: UpkeepReport): void {
    report.stopped();
    if (this.#clusters.get(name) !== cluster) return;
    this.#clusters.delete(name);
    this.#track(this.#notifyLeft(name, cluster));
  }

  async #notifyLeft(name: ClusterName, cluster: Cluster): Promise<void> {
    const { manager, onLeft, leaveDelay = LEAVE_DELAY } = this.#options;
    const { signal } = this.#stop;
    if (!onLeft) return;
    await sleep(manager.clock, leaveDelay, signal).catch(() => undefined);
    if (!signal.aborted && !this.#clusters.has(name)) await onLeft(name, cluster, signal);
  }

  #isSelected(name: ClusterName, cluster: Cluster): boolean | Promise<boolean> {
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
  async #reconcile(
    name: ClusterName,
    cluster: Cluster,
    report: UpkeepReport,
    log: Logger,
    signal: AbortSignal,
  ): Promise<never> {
    const { manager, retry, checkInterval } = this.#options;
    const backoff = new Backoff(retry);
    const checks = new Backoff({ base: checkInterval, max: checkInterval, jitter: JITTER });
    if (!manager.slots) await orAborted(manager.elected, signal);
    signal.throwIfAborted();
    this.#clusters.set(name, cluster);
    for (;;) {
      const { signal: ended } = this.#sleepEnd;
      const failed = await this.#run({ name, cluster, log, signal }, report);
      signal.throwIfAborted();
      if (!failed) backoff.reset();
      const delay = failed ? backoff.next() : checks.next();
      await sleep(manager.clock, delay, AbortSignal.any([signal, ended])).catch(() => signal.throwIfAborted());
    }
  }

  /** @returns whether it failed or waits. */
  async #run(task: Omit<UpkeepTask, 'report' | 'wait'>, report: UpkeepReport): Promise<boolean> {
    let failed = false;
    try {
      await this.#options.reconcile({
        ...task,
        report: (part, failure) => {
          task.signal.throwIfAborted();
          report.report(part, failure);
          failed ||= failure !== undefined;
        },
        wait: (part, missing) => {
          task.signal.throwIfAborted();
          report.wait(part, missing);
          failed = true;
        },
      });
    } catch (error) {
      task.signal.throwIfAborted();
      task.log.error(this.#options.failureMessage, { error });
      failed = true;
    }
    return failed;
  }
}
