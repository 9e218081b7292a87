import { expect, it } from '@jest/globals';
import { ConfigMap, createCluster, createManager, InMemoryProvider, silentLogger } from '@mcr/core';
import { addSyncController, SYNC } from '../../../examples/sync-hub-to-members/src/sync-controller.ts';
import { scenario } from '../backend/stage.ts';
import { until } from '../until.ts';

/** Times of the group, in milliseconds: shorter than the defaults, so that the test takes less time. */
const TIMES = { leaseDuration: 8_000, margin: 2_500, renewInterval: 1_000, writeDeadline: 2_000, warmTimeout: 10_000 };

const OBJECTS = ['one', 'two', 'three', 'four', 'five'];

scenario('sharded-placement', { members: 4 }, (stage) => {
  it('FP-3, FP-4: replicas divide the members of a placement, and each change and deletion reaches all of them through a join and a stop', async () => {
    const { hub, namespace, stack } = stage();
    const members = [0, 1, 2, 3].map((index) => stage().member(index));
    const start = async (replicaId: string) => {
      const provider = new InMemoryProvider();
      for (const { name, config } of members) provider.set(name, () => createCluster(config, { name }));
      const manager = await createManager({
        config: hub.config,
        provider,
        sharding: { name: 'placement', namespace, replicaId, ...TIMES },
        metrics: { bindAddress: '0' },
        logger: silentLogger,
      });
      await addSyncController(manager);
      const end = new AbortController();
      const stopped = manager.start(end.signal);
      const stop = async () => {
        end.abort();
        await stopped;
      };
      stack.defer(stop);
      /** The names of the members that this replica owns. */
      const owned = () =>
        members.map(({ name }) => name).filter((name) => manager.fleet.get(name)?.ownership?.state === 'active');
      return { manager, owned, stop };
    };
    const colourIs = (colour: string | undefined) =>
      until(async () => {
        const found = await Promise.all(
          members.flatMap(({ client }) => OBJECTS.map((name) => client.find(ConfigMap, hub.key(name)))),
        );
        return found.every((copy) => copy?.data?.['colour'] === colour);
      });
    const paint = async (colour: string) => {
      for (const name of OBJECTS) await hub.client.patch(ConfigMap, hub.key(name), { data: { colour } }, 'merge');
    };
    const createAll = async (colour: string) => {
      for (const name of OBJECTS) {
        const metadata = { ...hub.key(name), labels: { [SYNC]: 'members' } };
        await hub.client.create(ConfigMap, { metadata, data: { colour } });
      }
    };
    const deleteAll = async () => {
      for (const name of OBJECTS) await hub.client.delete(ConfigMap, hub.key(name));
      await colourIs(undefined);
      await until(async () => {
        const { items } = await hub.client.list(ConfigMap, { namespace });
        return items.every(({ metadata: { name } }) => !OBJECTS.includes(name) && !name.startsWith('mcr-placement-'));
      });
    };

    const a = await start('a');
    await createAll('red');
    await colourIs('red');
    const b = await start('b');
    await until(() => b.owned().length > 0 && a.owned().length + b.owned().length === members.length);
    await paint('blue');
    await colourIs('blue');
    await deleteAll();

    await createAll('green');
    await colourIs('green');
    await a.stop();
    await deleteAll();
    expect(b.owned()).toHaveLength(members.length);
  });
});
