import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiClient, HashRange, InformerHandler } from '@mcr/client';
import { ConfigMap, createCache, createClient, fnv1a64, HASH_SPACE, Shard } from '@mcr/client';
import type { ControlPlane } from './control-plane.ts';
import { createControlPlane } from './create-control-plane.ts';

const COUNT = 40;
const namespace = 'default';
/** Ranges that together cover every hash, in three parts of unequal size. */
const CUTS = [0n, HASH_SPACE / 8n, HASH_SPACE / 2n, HASH_SPACE];
const PARTS: readonly (readonly HashRange[])[] = CUTS.slice(1).map((end, index) => [{ start: CUTS[index] ?? 0n, end }]);

interface InformerOptions {
  readonly handler?: InformerHandler<ConfigMap>;
  readonly namespaces?: readonly string[];
}

/** Waits for turns of the event loop until `condition` holds. The test's deadline is the limit. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

const clusters: readonly {
  readonly cluster: string;
  readonly backend: 'embedded' | 'binaries';
  readonly isApplied: boolean;
}[] = [
  { cluster: 'an embedded cluster that applies the selector', backend: 'embedded', isApplied: true },
  { cluster: 'an embedded cluster that ignores the selector', backend: 'embedded', isApplied: false },
  // The selector needs Kubernetes 1.36.
  ...(process.env['KUBEBUILDER_ASSETS']
    ? [{ cluster: 'a kube-apiserver that applies the selector', backend: 'binaries', isApplied: true } as const]
    : []),
];

describe.each(clusters)('caches of the shards of $cluster', ({ backend, isApplied }) => {
  let plane: ControlPlane;
  let client: ApiClient;
  let stop: AbortController;
  let runs: Promise<void>[];

  beforeEach(async () => {
    stop = new AbortController();
    runs = [];
    plane = await createControlPlane({ backend, featureGates: { ShardedListAndWatch: isApplied } });
    client = createClient(plane.config);
    await plane.seed({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'seed', namespace } }, COUNT);
  });
  afterEach(async () => {
    stop.abort();
    await Promise.all(runs);
    await client.close();
    await plane.stop();
  });

  async function informerOf(
    shard: Shard,
    { handler = { onAdd: () => undefined }, namespaces = [namespace] }: InformerOptions = {},
  ) {
    const cache = createCache({ client });
    runs.push(cache.run(stop.signal));
    const subscription = await cache.subscribe(ConfigMap, handler, { shard, namespaces });
    await subscription.synced;
    return subscription.informer;
  }

  async function namesIn(ranges: readonly HashRange[]): Promise<string[]> {
    const { items } = await client.list(ConfigMap, { namespace });
    return items
      .filter(({ metadata }) => ranges.some(({ start, end }) => start <= hashOf(metadata) && hashOf(metadata) < end))
      .map(({ metadata }) => metadata.name)
      .sort();
  }

  const hashOf = ({ uid }: { readonly uid: string }): bigint => fnv1a64(uid);
  const held = ({ store }: Awaited<ReturnType<typeof informerOf>>): string[] =>
    Array.from(store.keys(namespace), ({ name }) => name).sort();

  it('SH-19: hold every object in exactly one cache, also after changes', async () => {
    const informers = await Promise.all(PARTS.map((ranges) => informerOf(new Shard({ field: 'uid', ranges }))));
    for (const [index, informer] of informers.entries()) {
      expect(held(informer)).toEqual(await namesIn(PARTS[index] ?? []));
    }
    for (let number = 0; number < 20; number += 1) {
      await client.create(ConfigMap, { metadata: { namespace, name: `new-${number}` } });
      await client.delete(ConfigMap, { namespace, name: `seed-${number}` });
    }
    const all = (await namesIn([{ start: 0n, end: HASH_SPACE }])).sort();
    await until(() => informers.flatMap(held).sort().join() === all.join());
    for (const [index, informer] of informers.entries()) {
      expect(held(informer)).toEqual(await namesIn(PARTS[index] ?? []));
    }
  });

  it('SH-19: exchange their objects without deletions when their ranges change', async () => {
    const [ranges = [], others = []] = [PARTS[1], PARTS[2]];
    const shard = new Shard({ field: 'uid', ranges });
    const calls = { added: 0, deleted: 0, left: [] as string[] };
    const handler: InformerHandler<ConfigMap> = {
      onAdd: () => (calls.added += 1),
      onDelete: () => (calls.deleted += 1),
      onLeave: ({ key }) => calls.left.push(key.name),
    };
    const informer = await informerOf(shard, { handler });
    const [before, after] = [await namesIn(ranges), await namesIn(others)];
    shard.update(others);
    await until(() => calls.left.length === before.length);
    expect(held(informer)).toEqual(after);
    expect([calls.left.sort(), calls.deleted, calls.added]).toEqual([before, 0, before.length + after.length]);
  });

  it('SH-19: divide by namespace', async () => {
    const names = (await client.list(ConfigMap)).items.length;
    const shards = PARTS.map((ranges) => new Shard({ field: 'namespace', ranges }));
    const parts = await Promise.all(shards.map((shard) => informerOf(shard, { namespaces: [''] })));
    expect(parts.map(({ store }) => store.size).reduce((sum, size) => sum + size, 0)).toBe(names);
    const owner = PARTS.findIndex(
      ([range]) => range && range.start <= fnv1a64(namespace) && fnv1a64(namespace) < range.end,
    );
    expect(parts.map((part) => held(part).length > 0)).toEqual(PARTS.map((_part, index) => index === owner));
  });
});
