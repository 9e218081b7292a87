import type { ApiClient, DeepReadonly } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createClient, createCluster } from '@mcr/core';
import { newFleetManager, startMemberFleet } from './member-fleet.ts';
import type { Scenario } from './scenario.ts';

const CHANGED = { namespace: 'default', name: 'object-0' };
const UNTOUCHED = { namespace: 'default', name: 'object-1' };

/** P-11: relists and reconciles that the rotation of the credentials of a whole fleet causes. */
export const rotateCredentials: Scenario = {
  id: 'P-11',
  title: 'rotate 100 clusters of 1,000 objects',
  unit: 'relists and reconciles',
  goal: '0 relists, 0 reconciles',
  isMet: ({ value }) => value === 0,

  async measure(size) {
    const [count, objects] = size === 'full' ? [100, 1_000] : [5, 10];
    await using fleet = await startMemberFleet({ members: count, objects, kinds: ['ConfigMap'] });
    const { manager, provider } = await newFleetManager(fleet.hub);
    let reconciles = 0;
    let expected = Infinity;
    let reached = Promise.withResolvers<void>();
    const untilReconciled = (total: number) => {
      expected = total;
      reached = Promise.withResolvers();
      if (reconciles >= total) reached.resolve();
      return reached.promise;
    };
    await controllerManagedBy(manager)
      .for(ConfigMap, { namespaces: ['default'] })
      .withOptions({ maxConcurrentReconciles: 16 })
      .complete(async () => {
        reconciles += 1;
        if (reconciles >= expected) reached.resolve();
      });
    for (const [name, { config }] of fleet.members) provider.set(name, createCluster(config, { name }));
    const end = new AbortController();
    const running = manager.start(end.signal);
    await untilReconciled(count * objects);

    // A relist replaces the objects in a cache, also unchanged ones.
    const before = new Map<string, DeepReadonly<ConfigMap>>();
    for (const name of fleet.members.keys()) before.set(name, await cachedObject(name));
    async function cachedObject(name: string) {
      const cluster = await manager.getCluster(name);
      const { store } = await cluster.cache.informer(ConfigMap, { namespaces: ['default'] });
      const object = store.get(UNTOUCHED);
      if (!object) throw new Error(`cluster ${name}: object-1 is not in the cache`);
      return object;
    }

    const started = performance.now();
    const clients: ApiClient[] = [];
    for (const [name, member] of fleet.members) {
      const next = await member.issueToken();
      provider.set(name, createCluster(next.config, { name }));
      await member.revokeToken(member);
      // Makes the watches reconnect with the new token.
      await member.endWatches();
      clients.push(createClient(next.config));
    }
    const changesSeen = untilReconciled(count * objects + count);
    for (const client of clients) {
      await client.patch(ConfigMap, CHANGED, { data: { rotated: 'yes' } }, 'merge');
      await client.close();
    }
    await changesSeen;
    const time = performance.now() - started;

    let relists = 0;
    for (const [name, object] of before) if ((await cachedObject(name)) !== object) relists += 1;
    end.abort();
    await running;
    const superfluous = reconciles - count * objects - count;
    return {
      value: relists + superfluous,
      floor: null,
      details: { relists, reconciles: superfluous, wall: time },
    };
  },
};
