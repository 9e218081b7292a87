import { controllerManagedBy, createCluster, enqueueRequestForObject } from '@mcr/core';
import type { BareConnectionsCommands } from './bare-connections-program.ts';
import { KINDS, newFleetManager, startMemberFleet, untilEngaged } from './member-fleet.ts';
import type { MemberFleet } from './member-fleet.ts';
import { startProgram } from './program.ts';
import { residentMemory } from './resident-memory.ts';
import type { Scenario } from './scenario.ts';

/** P-6: resident memory of an engaged cluster without changes. */
export const idleClusters: Scenario = {
  id: 'P-6',
  title: 'resident memory per idle engaged cluster of 3 watched kinds, 1,000 of them',
  unit: 'KB',
  goal: '≤ 160 KB',
  isMet: ({ value }) => value <= 160,

  async measure(size) {
    const members = size === 'full' ? 1_000 : 10;
    await using fleet = await startMemberFleet({ members, objects: 1, kinds: KINDS.map(({ kind }) => kind) });
    const configs = [...fleet.members.values()].map(({ config }) => config);
    await using bare = startProgram<BareConnectionsCommands>(new URL('bare-connections-program.ts', import.meta.url));
    const floor = await bare.run('watch', configs);
    return { value: (await engage(fleet)) / members / 1e3, floor: floor / members / 1e3, details: {} };
  },
};

/** Returns the bytes of memory that a manager of the fleet adds to the process. */
async function engage({ hub, members }: MemberFleet): Promise<number> {
  const { manager, provider } = await newFleetManager(hub);
  const builder = controllerManagedBy(manager).named('watch-three-kinds');
  for (const kind of KINDS) builder.watches(kind, enqueueRequestForObject());
  await builder.complete(async () => undefined);
  const before = residentMemory();
  for (const [name, { config }] of members) provider.set(name, createCluster(config, { name }));
  const end = new AbortController();
  const engaged = untilEngaged(manager, members.keys());
  const running = manager.start(end.signal);
  await engaged;
  const used = residentMemory() - before;
  end.abort();
  await running;
  return used;
}
