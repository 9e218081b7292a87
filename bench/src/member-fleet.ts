import type { ClusterConfig, ClusterName, Manager } from '@mcr/core';
import {
  controllerManagedBy,
  createCluster,
  createManager,
  enqueueRequestForObject,
  InMemoryProvider,
  ConfigMap,
  Secret,
  ServiceAccount,
  silentLogger,
} from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import { createEmbeddedApiServer } from '@mcr/envtest';
import { processorTime } from './processor-time.ts';

/** Control planes with objects, all served by one separate process. */
export interface MemberFleet extends AsyncDisposable {
  readonly hub: ControlPlane;
  readonly members: ReadonlyMap<ClusterName, ControlPlane>;
}

export interface MemberFleetOptions {
  readonly members: number;
  /** Number of objects of each kind in a member, named `object-0` and so on, in the namespace `default`. */
  readonly objects: number;
  readonly kinds: readonly string[];
}

export async function startMemberFleet({ members: count, objects, kinds }: MemberFleetOptions): Promise<MemberFleet> {
  const server = await createEmbeddedApiServer();
  const members = new Map<ClusterName, ControlPlane>();
  for (let index = 0; index < count; index++) {
    const name = `member-${index}`;
    const member = await server.createCluster({ name });
    for (const kind of kinds) {
      await member.seed({ apiVersion: 'v1', kind, metadata: { name: 'object', namespace: 'default' } }, objects);
    }
    members.set(name, member);
  }
  const hub = await server.createCluster({ name: 'hub' });
  return { hub, members, [Symbol.asyncDispose]: () => server.stop() };
}

/** Three kinds that every member serves. */
export const KINDS = [ConfigMap, Secret, ServiceAccount] as const;

/** Creates a manager whose provider has the clusters that the benchmark adds. */
export async function newFleetManager(hub: ControlPlane): Promise<{ manager: Manager; provider: InMemoryProvider }> {
  const provider = new InMemoryProvider();
  const manager = await createManager({
    config: hub.config,
    provider,
    logger: silentLogger,
    metrics: { bindAddress: '0' },
  });
  return { manager, provider };
}

/** Resolves once all of `names` are engaged and their caches have synced. Call it before the manager starts. */
export async function untilEngaged(manager: Manager, names: Iterable<ClusterName>): Promise<void> {
  const missing = new Set(names);
  const end = new AbortController();
  for await (const { name, phase } of manager.fleet.changes(end.signal)) {
    if (phase === 'Engaged') missing.delete(name);
    if (missing.size === 0) end.abort();
  }
}

/** Cost of an operation, in milliseconds. */
export interface Cost {
  readonly wall: number;
  /** Processor time of this process. */
  readonly processor: number;
}

/**
 * Measures how long a new manager takes to engage `healthy`, with three kinds each.
 *
 * @param others clusters of the same fleet that are not waited for.
 */
export async function costToEngage(
  hub: ControlPlane,
  healthy: ReadonlyMap<ClusterName, ClusterConfig>,
  others: ReadonlyMap<ClusterName, ClusterConfig> = new Map(),
): Promise<Cost> {
  const { manager, provider } = await newFleetManager(hub);
  const builder = controllerManagedBy(manager).named('watch-three-kinds');
  for (const kind of KINDS) builder.watches(kind, enqueueRequestForObject());
  await builder.complete(async () => undefined);
  // Adds the clusters without answers first, where they delay the others most.
  for (const [name, config] of [...others, ...healthy]) provider.set(name, createCluster(config, { name }));
  const end = new AbortController();
  const engaged = untilEngaged(manager, healthy.keys());
  globalThis.gc?.();
  const [started, used] = [performance.now(), processorTime()];
  const running = manager.start(end.signal);
  await engaged;
  const cost = { wall: performance.now() - started, processor: processorTime() - used };
  end.abort();
  await running;
  return cost;
}
