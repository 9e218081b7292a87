import { expect, it } from '@jest/globals';
import type { Manager, ReconcileRequest, ShardBy } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createManager, Shard, silentLogger } from '@mcr/core';
import type { Site } from '../backend/site.ts';
import { scenario } from '../backend/stage.ts';
import { until } from '../until.ts';

/** Times of the group, in milliseconds: shorter than the defaults, so that the test takes less time. */
const TIMES = { leaseDuration: 8_000, margin: 2_500, renewInterval: 1_000, writeDeadline: 2_000, warmTimeout: 10_000 };

const OBJECTS = Array.from({ length: 40 }, (_, number) => `object-${number}`);

/** A replica that copies `input` of the ConfigMaps of the hub to `output`, and appends its name to `writers`. */
class Replica {
  readonly name: string;
  readonly manager: Manager;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  private constructor(name: string, manager: Manager) {
    this.name = name;
    this.manager = manager;
    this.#ended = manager.start(this.#stop.signal);
  }

  static async start(name: string, { config }: Site, namespace: string, shardBy: ShardBy<ReconcileRequest>) {
    const shard = shardBy instanceof Shard ? { shard: shardBy } : {};
    const manager = await createManager({
      config,
      sharding: { name: 'objects', namespace, replicaId: name, ...TIMES },
      cache: { byKind: [{ kind: ConfigMap, namespaces: [namespace], ...shard }] },
      metrics: { bindAddress: '0' },
      logger: silentLogger,
    });
    await controllerManagedBy(manager)
      .for(ConfigMap)
      .shardBy(shardBy)
      .withOptions({ maxConcurrentReconciles: 4 })
      .complete(async (request, { cluster }) => {
        const { client } = await cluster();
        const configMap = await client.find(ConfigMap, request);
        const { input, output, writers = '' } = configMap?.data ?? {};
        if (!configMap || input === undefined || output === input) return;
        const data = { ...configMap.data, output: input, writers: `${writers}${name} ` };
        await client.update(ConfigMap, { ...configMap, data });
      });
    return new Replica(name, manager);
  }

  /** Number of ConfigMaps in the cache. */
  get held(): number {
    const stats = this.manager.localManager.cluster.cache.stats?.() ?? [];
    return stats.find(({ kind }) => kind.includes('ConfigMap'))?.objects ?? 0;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }
}

interface Division {
  readonly by: string;
  readonly shardBy: () => ShardBy<ReconcileRequest>;
  /** Number of replicas of two that hold an object in their cache. */
  readonly holders: number;
}

const divisions: readonly Division[] = [
  { by: 'a function', shardBy: () => (request) => request.name, holders: 2 },
  { by: 'a shard by uid', shardBy: () => new Shard({ field: 'uid', ranges: [] }), holders: 1 },
];

scenario('sharded-objects', {}, (stage) => {
  it.each(divisions)(
    'SH-10: replicas divide the objects of the hub by $by, and each change has one writer through a join and a stop',
    async ({ shardBy, holders }) => {
      const { hub, namespace, stack } = stage();
      const start = async (name: string) =>
        stack.adopt(await Replica.start(name, hub, namespace, shardBy()), (replica) => replica.stop());
      let round = 0;
      /** Changes every object, waits until each change was written, and returns the writers of this round. */
      const work = async (): Promise<Set<string>> => {
        round += 1;
        for (const name of OBJECTS)
          await hub.client.patch(ConfigMap, hub.key(name), { data: { input: `${round}` } }, 'merge');
        const writers = new Set<string>();
        for (const name of OBJECTS) {
          let data: ConfigMap['data'];
          await until(async () => {
            ({ data } = await hub.client.get(ConfigMap, hub.key(name)));
            return data?.['output'] === `${round}`;
          });
          const all = data?.['writers']?.trim().split(' ') ?? [];
          expect(all).toHaveLength(round);
          writers.add(all.at(-1) ?? '');
        }
        return writers;
      };
      const activeSlots = ({ manager: { slots } }: Replica) =>
        Array.from({ length: slots?.count ?? 0 }, (_, slot) => slot).filter(
          (slot) => slots?.stateOf(slot) === 'active',
        );
      /** Resolves once each slot has one owner, and each replica owns some. */
      const divided = (...replicas: readonly Replica[]) =>
        until(() => {
          const owned = replicas.map(activeSlots);
          return owned.every(({ length }) => length > 0) && new Set(owned.flat()).size === 1024;
        });

      for (const name of OBJECTS) {
        await hub.client.create(ConfigMap, { metadata: hub.key(name), data: {} });
      }
      const a = await start('a');
      await divided(a);
      expect(await work()).toEqual(new Set(['a']));

      const b = await start('b');
      await divided(a, b);
      expect(await work()).toEqual(new Set(['a', 'b']));
      const { items } = await hub.client.list(ConfigMap, { namespace });
      await until(() => a.held + b.held === holders * items.length);

      const stopped = a.stop();
      expect(await work()).toContain('b');
      await stopped;
      await divided(b);
      expect(await work()).toEqual(new Set(['b']));
      await b.stop();
      for (const name of OBJECTS) await hub.client.delete(ConfigMap, hub.key(name));
    },
  );
});
