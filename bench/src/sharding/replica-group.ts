import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterName, ShardingOptions } from '@mcr/core';
import { createClient, Lease } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import type { Memory } from '../client/memory.ts';
import type { Program } from '../program.ts';
import { startProgram } from '../program.ts';
import { monotonicTime } from './monotonic-time.ts';
import type { ReplicaCommands } from './replica-program.ts';
import type { OwnershipChange } from './simulated-fleet.ts';

type Replica = Program<ReplicaCommands>;

/** Interval of the questions which replica owns how much, in milliseconds. */
const POLL = 250;
/** Deadline of {@link ReplicaGroup.settled}, in milliseconds. */
const DEADLINE = 180_000;
const NAMESPACE = 'default';

export interface ReplicaGroupOptions {
  readonly hub: ControlPlane;
  /** Number of replicas with the weight 1. One more has the weight 0. */
  readonly replicas: number;
  /** Times of the group. Default: those of the library. */
  readonly times: Partial<ShardingOptions>;
}

/** The replicas of a sharded manager, each in its own process. */
export class ReplicaGroup implements AsyncDisposable {
  readonly #hub: ControlPlane;
  /** The replicas that run, without the observer. */
  readonly #workers: Replica[];
  /** Has the weight 0, and so owns nothing while there are workers. */
  readonly #observer: Replica;
  readonly #all: readonly Replica[];
  #clusters = 0;

  private constructor(hub: ControlPlane, workers: readonly Replica[], observer: Replica) {
    this.#hub = hub;
    this.#workers = [...workers];
    this.#observer = observer;
    this.#all = [...workers, observer];
  }

  /** Starts the replicas with an empty fleet. */
  static async start({ hub, replicas, times }: ReplicaGroupOptions): Promise<ReplicaGroup> {
    const program = new URL('replica-program.ts', import.meta.url);
    const workers = Array.from({ length: replicas }, () => startProgram<ReplicaCommands>(program));
    const group = new ReplicaGroup(hub, workers, startProgram<ReplicaCommands>(program));
    try {
      const sharding = { name: 'bench', namespace: NAMESPACE, ...times };
      await Promise.all(
        workers.map((worker, index) =>
          worker.run('start', hub.config, { ...sharding, replicaId: `worker-${index}`, weight: 1 }),
        ),
      );
      await group.settled(0);
      await group.#observer.run('start', hub.config, { ...sharding, replicaId: 'observer', weight: 0 });
      return group;
    } catch (error) {
      await group[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Number of running replicas, including the one with the weight 0. */
  get size(): number {
    return this.#workers.length + 1;
  }

  /** Declares further clusters in all replicas, until the fleet has `count`. */
  async grow(count: number): Promise<void> {
    this.#clusters = count;
    await this.#each((replica) => replica.run('grow', count));
  }

  /** Resolves when each cluster has one owner, and no ownership has changed for `quiet` milliseconds. */
  async settled(quiet: number): Promise<void> {
    const deadline = monotonicTime() + DEADLINE;
    for (;;) {
      const ownerships = await this.#each((replica) => replica.run('ownership'));
      const owned = ownerships.reduce((sum, one) => sum + one.owned, 0);
      const changedAt = Math.max(...ownerships.map((one) => one.changedAt));
      // The local cluster has an owner, too.
      if (owned === this.#clusters + 1 && monotonicTime() - changedAt >= quiet) return;
      if (monotonicTime() > deadline) throw new Error(`the replicas own ${owned} of ${this.#clusters + 1} clusters`);
      await sleep(POLL);
    }
  }

  /** Returns how often per second the hub's objects change within `duration` milliseconds. */
  async writeRate(duration: number): Promise<number> {
    await using client = createClient(this.#hub.config);
    const revision = async () => Number((await client.list(Lease, { namespace: NAMESPACE })).metadata.resourceVersion);
    const [before, started] = [await revision(), monotonicTime()];
    await sleep(duration);
    return ((await revision()) - before) / ((monotonicTime() - started) / 1_000);
  }

  /** Returns the memory of the replica that owns nothing, at rest. */
  async memoryWithoutOwnership(quiet: number): Promise<Memory> {
    await this.#observer.run('takeChanges');
    return this.#observer.run('memory', quiet);
  }

  /** Returns the memory of one of the other replicas, at rest, and the number of clusters that it owns. */
  async memoryWithOwnership(quiet: number): Promise<Memory & { readonly owned: number }> {
    const [worker] = this.#workers;
    if (!worker) throw new Error('no replica is left');
    await worker.run('takeChanges');
    return { ...(await worker.run('memory', quiet)), ...(await worker.run('ownership')) };
  }

  /**
   * Stops the replica that owns the most clusters. Returns how long each of its clusters had no active owner, in
   * milliseconds.
   */
  async stopOne(): Promise<number[]> {
    const leaver = await this.#remove();
    const names = new Set(await leaver.run('active'));
    await leaver.run('stop');
    const lost = new Map<ClusterName, number>();
    for (const { name, state, at } of await leaver.run('takeChanges')) {
      if (state !== 'active' && names.has(name)) setOnce(lost, name, at);
    }
    return this.#gaps(lost);
  }

  /** Kills the replica that owns the most clusters. Returns how long each of its clusters had no owner, in milliseconds. */
  async killOne(): Promise<number[]> {
    const victim = await this.#remove();
    const names = await victim.run('active');
    const killedAt = monotonicTime();
    await victim.run('crash').catch(() => undefined);
    return this.#gaps(new Map(names.map((name) => [name, killedAt])));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((replica) => replica[Symbol.asyncDispose]()));
  }

  /** Removes the replica that owns the most clusters from those that are asked, and discards earlier changes. */
  async #remove(): Promise<Replica> {
    await this.#each((replica) => replica.run('takeChanges'));
    const owned = await Promise.all(this.#workers.map(async (worker) => (await worker.run('ownership')).owned));
    const [replica] = this.#workers.splice(owned.indexOf(Math.max(...owned)), 1);
    if (!replica) throw new Error('no replica is left');
    return replica;
  }

  /** @param lost when each cluster lost its owner. */
  async #gaps(lost: ReadonlyMap<ClusterName, number>): Promise<number[]> {
    await this.settled(0);
    const changes: OwnershipChange[] = (await this.#each((replica) => replica.run('takeChanges'))).flat();
    const gained = new Map<ClusterName, number>();
    for (const { name, state, at } of changes.toSorted((a, b) => a.at - b.at)) {
      if (state === 'active' && at >= (lost.get(name) ?? Infinity)) setOnce(gained, name, at);
    }
    return [...lost].map(([name, at]) => (gained.get(name) ?? NaN) - at);
  }

  #each<T>(ask: (replica: Replica) => Promise<T>): Promise<T[]> {
    return Promise.all([...this.#workers, this.#observer].map(ask));
  }
}

function setOnce(times: Map<ClusterName, number>, name: ClusterName, at: number): void {
  if (!times.has(name)) times.set(name, at);
}
