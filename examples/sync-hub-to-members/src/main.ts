import type { ApiClient } from '@mcr/core';
import { ConfigMap, createClient, createCluster, createManager, InMemoryProvider, silentLogger } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import { addSyncController, SYNC } from './sync-controller.ts';

const say = (line: string) => console.log(line);
const key = { namespace: 'default', name: 'palette' };

await using fleet = await createControlPlaneFleet({ members: 2 });
const clients = new Map<ControlPlane, ApiClient>();
const client = (controlPlane: ControlPlane): ApiClient => {
  const present = clients.get(controlPlane) ?? createClient(controlPlane.config);
  clients.set(controlPlane, present);
  return present;
};
/** Resolves once the copy in each member has this colour, or, without a colour, once no member has a copy. */
const inEveryMember = (colour: string | undefined) =>
  eventually(async () => {
    const copies = await Promise.all(fleet.members.map((member) => client(member).find(ConfigMap, key)));
    return copies.every((copy) => (copy ? copy.data?.['colour'] : undefined) === colour);
  });

const provider = new InMemoryProvider();
const join = (member: ControlPlane) => provider.set(member.name, createCluster(member.config, { name: member.name }));
const manager = await createManager({
  config: fleet.hub.config,
  provider,
  logger: silentLogger,
  metrics: { bindAddress: '0' },
});
await addSyncController(manager);
for (const member of fleet.members) join(member);
const end = new AbortController();
const stopped = manager.start(end.signal);

try {
  say('A hub and two members run on this machine.');
  await client(fleet.hub).create(ConfigMap, {
    metadata: { ...key, labels: { [SYNC]: 'members' } },
    data: { colour: 'red' },
  });
  await inEveryMember('red');
  say('A ConfigMap was created in the hub: both members have a copy.');

  await client(fleet.hub).patch(ConfigMap, key, { data: { colour: 'blue' } }, 'merge');
  await inEveryMember('blue');
  say('It was changed in the hub: the copies were changed, too.');

  const [first, second] = fleet.members;
  if (!first || !second) throw new Error('expected two members');
  await client(first).patch(ConfigMap, key, { data: { colour: 'green' } }, 'merge');
  await client(second).delete(ConfigMap, key);
  await inEveryMember('blue');
  say('In the members, one copy was changed and one deleted: the controller restored both.');

  const third = await fleet.addMember('member-3');
  join(third);
  await inEveryMember('blue');
  say('A third member joined: it got a copy.');

  await provider.delete(third.name);
  await client(fleet.hub).delete(ConfigMap, key);
  await eventually(async () => (await client(first).find(ConfigMap, key)) === undefined);
  const original = await client(fleet.hub).get(ConfigMap, key);
  say(
    `The third member left, and the ConfigMap was deleted in the hub: it waits (${original.metadata.finalizers?.join()}).`,
  );

  join(third);
  await inEveryMember(undefined);
  await eventually(async () => (await client(fleet.hub).find(ConfigMap, key)) === undefined);
  say('The third member came back: no member has a copy, and the ConfigMap is gone.');
} finally {
  end.abort();
  await stopped;
  await Promise.all([...clients.values()].map((each) => each.close()));
}
