import { describe, expect, it } from '@jest/globals';
import type { ListOptions } from '../client/client.ts';
import { Pod } from '../kinds/builtin.ts';
import { packObjects } from '../packed/pack-objects.ts';
import { PackedStore } from '../store/packed-store.ts';
import { listFromStore } from './list-from-store.ts';

describe('listFromStore', () => {
  it('P-19: decodes in turns, and lists the objects as they were when it began', async () => {
    const store = storeOf(5_000);
    let turns = 0;
    let counting = setImmediate(function turn() {
      turns++;
      // Changes arrive while the list is decoded.
      const changes = packObjects('MODIFIED', [pod(4_000 + turns, '2')]);
      store.apply(changes, 0);
      store.apply(packObjects('DELETED', [pod(4_500 + turns)]), 0);
      counting = setImmediate(turn);
    });
    const { items, metadata } = await listFromStore(Pod, { store, lastSyncedResourceVersion: '7' }, {});
    clearImmediate(counting);
    expect(turns).toBeGreaterThan(0);
    expect(metadata.resourceVersion).toBe('7');
    expect(items).toHaveLength(5_000);
    expect(items.every((item) => item.metadata.resourceVersion === '1')).toBe(true);
    expect(store.size).toBe(5_000 - turns);
  });

  it('P-19: lists known objects in one turn', async () => {
    const store = storeOf(1_000);
    const source = { store, lastSyncedResourceVersion: '7' };
    const first = await listFromStore(Pod, source, {});
    const { decodes } = store.stats();
    let turned = false;
    const immediate = setImmediate(() => (turned = true));
    const again = await listFromStore(Pod, source, {});
    expect(turned).toBe(false);
    clearImmediate(immediate);
    expect(again.items).toEqual(first.items);
    for (const [at, item] of again.items.entries()) expect(item).toBe(first.items[at]);
    expect(store.stats().decodes).toBe(decodes);
  });

  it('decodes only objects that match the selectors', async () => {
    const store = storeOf(100);
    const source = { store, lastSyncedResourceVersion: '7' };
    const byLabel = await listFromStore(Pod, source, { labelSelector: 'number in (3,4)' });
    expect(byLabel.items.map(({ metadata }) => metadata.name)).toEqual(['pod-3', 'pod-4']);
    const byField = await listFromStore(Pod, source, {
      fieldSelector: 'metadata.name=pod-9',
      labelSelector: 'number=9',
    });
    expect(byField.items.map(({ metadata }) => metadata.name)).toEqual(['pod-9']);
    expect(store.stats()).toMatchObject({ decodes: 3, metadataDecodes: 0 });
  });

  it('limits the result', async () => {
    const { items, metadata } = await listFromStore(
      Pod,
      { store: storeOf(10), lastSyncedResourceVersion: undefined },
      { limit: 4 },
    );
    expect(items).toHaveLength(4);
    expect(metadata).toEqual({ resourceVersion: '', remainingItemCount: 6 });
  });

  it('PC-4: decodes only the objects that a limited list returns', async () => {
    const store = storeOf(40);
    store.addIndex('image', '.metadata.namespace');
    const source = { store, lastSyncedResourceVersion: undefined };
    const list = async (options: ListOptions) => {
      const { items, metadata } = await listFromStore(Pod, source, { limit: 3, ...options });
      return [items.map(({ metadata: { name } }) => name), metadata.remainingItemCount, store.stats().decodes];
    };
    const first = ['pod-0', 'pod-1', 'pod-2'];
    expect(await list({})).toEqual([first, 37, 3]);
    expect(await list({ namespace: 'default' })).toEqual([first, 37, 3]);
    expect(await list({ index: { name: 'image', value: 'default' } })).toEqual([first, 37, 3]);
    expect(await list({ labelSelector: 'number in (1,2,7,8,9)' })).toEqual([['pod-1', 'pod-2', 'pod-7'], 2, 4]);
    store.list();
    expect(await list({ labelSelector: 'number in (1,2,7,8,9)' })).toEqual([['pod-1', 'pod-2', 'pod-7'], 2, 40]);
    expect(await list({})).toEqual([first, 37, 40]);
    expect(await list({ limit: 40 })).toEqual([expect.anything(), undefined, 40]);
  });
});

function pod(number: number, resourceVersion = '1') {
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: {
      ...{ name: `pod-${number}`, namespace: 'default', uid: `u-${number}`, resourceVersion },
      labels: { number: String(number) },
    },
    spec: {
      containers: Array.from({ length: 20 }, (_, at) => ({ name: `c-${at}`, image: 'registry.example.com/app:1' })),
    },
  };
}

function storeOf(count: number): PackedStore<Pod> {
  const store = new PackedStore<Pod>({ kind: Pod, freeze: true });
  const batch = packObjects(
    'ADDED',
    Array.from({ length: count }, (_, number) => pod(number)),
  );
  for (let at = 0; at < batch.length; at++) store.apply(batch, at);
  return store;
}
