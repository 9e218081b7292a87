import { it } from '@jest/globals';
import { ConfigMap, createCluster, createManager, InMemoryProvider, silentLogger } from '@mcr/core';
import { addSyncController, SYNC } from '../../../examples/sync-hub-to-members/src/sync-controller.ts';
import type { Site } from '../backend/site.ts';
import { scenario } from '../backend/stage.ts';
import { until } from '../until.ts';

scenario('sync', { members: 2 }, (stage) => {
  it('FP-3, FP-4: keeps copies of an object of the hub in every member, through drift, a late member, and deletion while a member is away', async () => {
    const { hub, stack } = stage();
    const [one, two] = [stage().member(0), stage().member(1)];
    const provider = new InMemoryProvider();
    const admit = async (member: Site) =>
      provider.set(member.name, createCluster((await member.issuePass()).config, { name: member.name }));
    const manager = await createManager({
      config: hub.config,
      provider,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    await addSyncController(manager);
    await admit(one);
    const end = new AbortController();
    const stopped = manager.start(end.signal);
    stack.defer(async () => {
      end.abort();
      await stopped;
    });
    const copyIs = (member: Site, colour: string | undefined) =>
      until(async () => (await member.client.find(ConfigMap, member.key('palette')))?.data?.['colour'] === colour);

    const metadata = { ...hub.key('palette'), labels: { [SYNC]: 'members' } };
    await hub.client.create(ConfigMap, { metadata, data: { colour: 'red' } });
    await copyIs(one, 'red');
    await hub.client.patch(ConfigMap, hub.key('palette'), { data: { colour: 'blue' } }, 'merge');
    await copyIs(one, 'blue');

    await one.client.patch(ConfigMap, one.key('palette'), { data: { colour: 'green' } }, 'merge');
    await copyIs(one, 'blue');
    await one.client.delete(ConfigMap, one.key('palette'));
    await copyIs(one, 'blue');

    await admit(two);
    await copyIs(two, 'blue');
    await provider.delete(two.name);
    await hub.client.delete(ConfigMap, hub.key('palette'));
    await copyIs(one, undefined);
    await copyIs(two, 'blue');
    await admit(two);
    await copyIs(two, undefined);
    await until(async () => (await hub.client.find(ConfigMap, hub.key('palette'))) === undefined);
  });
});
