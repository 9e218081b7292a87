import type { Cluster, ClusterName, ClusterStatus } from '@mcr/core';
import { ConfigMap } from '@mcr/core';
import type { ChurnFleet } from './fleet.ts';
import type { ChurnInventory } from './inventory.ts';
import type { ChurnMember } from './member.ts';
import type { ChurnSystem } from './system.ts';
import { portOf } from './system.ts';

/** Returns the differences between a quiet fleet and its inventory. */
export async function problemsOf({ inventory }: ChurnFleet, system: ChurnSystem): Promise<readonly string[]> {
  const wanted = inventory.engaged();
  const problems = [
    ...system.violations,
    ...engagementProblems(system, wanted),
    ...phaseProblems(system, wanted, inventory),
  ];
  // The content of clusters is compared only if the expected ones are engaged.
  if (problems.length > 0) return problems;
  const ofClusters = await Promise.all([...wanted].map(([name, member]) => clusterProblems(system, name, member)));
  return ofClusters.flat();
}

function* engagementProblems({ manager, live }: ChurnSystem, wanted: ReadonlyMap<ClusterName, ChurnMember>) {
  const engaged = manager.provider?.clusterNames?.() ?? [];
  for (const name of new Set([...wanted.keys(), ...engaged, ...live.map((engagement) => engagement.name)])) {
    const expected = wanted.has(name) ? 1 : 0;
    const count = live.filter((engagement) => engagement.name === name).length;
    if (count !== expected)
      yield `${name} has ${count} engagements, expected ${expected}: ${text(manager.fleet.get(name))}`;
    if (engaged.includes(name) !== wanted.has(name)) yield `${name} is ${expected ? 'not ' : ''}known to the provider`;
  }
}

function* phaseProblems(
  { manager }: ChurnSystem,
  wanted: ReadonlyMap<ClusterName, ChurnMember>,
  { known, declared }: ChurnInventory,
) {
  for (const name of known) {
    const status = manager.fleet.get(name);
    if (!expectedPhases().includes(status?.phase))
      yield `${name} is ${text(status)}, expected ${expectedPhases().join(' or ')}`;

    function expectedPhases(): readonly (ClusterStatus['phase'] | undefined)[] {
      if (wanted.has(name)) return ['Engaged'];
      // A Secret whose kubeconfig was removed keeps the status of its former cluster.
      if (declared.get(name)?.isLabelled) return ['Unreachable', 'Disengaged'];
      return ['Disengaged', undefined];
    }
  }
}

async function clusterProblems({ manager }: ChurnSystem, name: ClusterName, member: ChurnMember): Promise<string[]> {
  const cluster = await manager.getCluster(name);
  const port = new URL(member.plane.config.server).port;
  if (portOf(cluster) !== port) return [`${name} uses port ${portOf(cluster)}, expected ${port}`];
  const [onServer, inCache] = await Promise.all([member.configMaps(), cachedIn(cluster)]);
  const [expected, actual] = [onServer, inCache].map(contentOf);
  if (actual !== expected) return [`the cache of ${name} has ${actual}, its server has ${expected}`];
  return onServer
    .filter(({ data }) => data?.['input'] !== data?.['mark'])
    .map(({ metadata, data }) => `${metadata.name} in ${name} has mark ${data?.['mark']}, expected ${data?.['input']}`);
}

async function cachedIn(cluster: Cluster) {
  return (await cluster.cache.list(ConfigMap)).items;
}

function contentOf(configMaps: Awaited<ReturnType<typeof cachedIn>>): string {
  return configMaps
    .map(
      ({ metadata, data }) => `${metadata.name} ${metadata.uid} at ${metadata.resourceVersion} ${JSON.stringify(data)}`,
    )
    .sort()
    .join(', ');
}

function text(status: ClusterStatus | undefined): string {
  return status ? `${status.phase} (${status.reason})` : 'not in the fleet';
}
