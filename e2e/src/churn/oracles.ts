import type { Cluster, ClusterName, ClusterStatus } from '@mcr/core';
import { ConfigMap } from '@mcr/core';
import type { ChurnFleet } from './fleet.ts';
import type { ChurnInventory } from './inventory.ts';
import type { ChurnMember } from './member.ts';
import type { ChurnSystem } from './system.ts';
import { portOf } from './system.ts';

/** What is not as it should be once a fleet is quiet. */
export async function problemsOf({ inventory }: ChurnFleet, system: ChurnSystem): Promise<readonly string[]> {
  const wanted = inventory.engaged();
  const problems = [
    ...system.violations,
    ...engagementProblems(system, wanted),
    ...phaseProblems(system, wanted, inventory),
  ];
  // Clusters are only asked when they are those that there are to be.
  if (problems.length > 0) return problems;
  const ofClusters = await Promise.all([...wanted].map(([name, member]) => clusterProblems(system, name, member)));
  return ofClusters.flat();
}

function* engagementProblems({ manager, live }: ChurnSystem, wanted: ReadonlyMap<ClusterName, ChurnMember>) {
  const engaged = manager.provider?.clusterNames?.() ?? [];
  for (const name of new Set([...wanted.keys(), ...engaged, ...live.map((engagement) => engagement.name)])) {
    const expected = wanted.has(name) ? 1 : 0;
    const count = live.filter((engagement) => engagement.name === name).length;
    if (count !== expected) yield `${name} has ${count} engagements, not ${expected}: ${text(manager.fleet.get(name))}`;
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
      yield `${name} is ${text(status)}, not ${expectedPhases().join(' or ')}`;

    function expectedPhases(): readonly (ClusterStatus['phase'] | undefined)[] {
      if (wanted.has(name)) return ['Engaged'];
      // A Secret that made a cluster before its content was taken away has a cluster that is gone.
      if (declared.get(name)?.isLabelled) return ['Unreachable', 'Disengaged'];
      return ['Disengaged', undefined];
    }
  }
}

async function clusterProblems({ manager }: ChurnSystem, name: ClusterName, member: ChurnMember): Promise<string[]> {
  const cluster = await manager.getCluster(name);
  const port = new URL(member.plane.config.server).port;
  if (portOf(cluster) !== port) return [`${name} is at port ${portOf(cluster)}, not ${port}`];
  const [onServer, inCache] = await Promise.all([member.configMaps(), cachedIn(cluster)]);
  const [expected, actual] = [onServer, inCache].map(contentOf);
  if (actual !== expected) return [`the cache of ${name} holds ${actual}, but its server ${expected}`];
  return onServer
    .filter(({ data }) => data?.['input'] !== data?.['mark'])
    .map(({ metadata, data }) => `${metadata.name} of ${name} is marked ${data?.['mark']}, not ${data?.['input']}`);
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
