import { describe, expect, it } from '@jest/globals';
import { Pod } from '../kinds/builtin.ts';
import { packObjects } from '../packed/pack-objects.ts';
import { EagerStore } from './eager-store.fixture.ts';
import type { PackedStore } from './packed-store.ts';
import type { Selected } from './selection.ts';

describe.each([false, true])('PC-8: PackedStore.select (compress: %s)', (compress) => {
  it('selects by namespace, key, labels and indexes, and decodes only what matches', () => {
    const store = setup(12, compress);
    const select = (query: Parameters<typeof store.select>[0]): string[] => names(store.select(query));
    expect(select({ namespace: 'ns-1' })).toEqual(['pod-1', 'pod-4', 'pod-7', 'pod-10']);
    expect(select({ matchesKey: ({ name }) => name.endsWith('3') })).toEqual(['pod-3']);
    const { decodes } = store.stats();
    expect(select({ matchesLabels: (labels) => labels?.['parity'] === 'odd', namespace: 'ns-0' })).toEqual([
      'pod-3',
      'pod-9',
    ]);
    expect(store.stats().decodes - decodes).toBeLessThanOrEqual(2);
    store.addIndex('node', ({ spec }) => [spec?.nodeName ?? '']);
    store.addIndex('parity', ({ metadata }) => [metadata.labels?.['parity'] ?? '']);
    const node = { name: 'node', value: 'node-0' };
    expect(select({ indexes: [node] })).toEqual(['pod-0', 'pod-4', 'pod-8']);
    expect(select({ indexes: [node, { name: 'parity', value: 'odd' }] })).toEqual([]);
    expect(select({ indexes: [node, { name: 'parity', value: 'even' }], namespace: 'ns-2' })).toEqual(['pod-8']);
    expect(() => store.select({ indexes: [{ name: 'none', value: '' }] })).toThrow('index "none" does not exist');
  });

  it('gives the objects as they were when it began', () => {
    const store = setup(6, compress);
    store.addIndex('node', ({ spec }) => [spec?.nodeName ?? '']);
    const queries = [{}, { namespace: 'ns-0' }, { indexes: [{ name: 'node', value: 'node-0' }] }];
    const selections = queries.map((query) => {
      const selection = store.select(query)[Symbol.iterator]();
      selection.next();
      return selection;
    });
    const unstarted = store.select({});
    const batch = packObjects('MODIFIED', [pod(3, '9'), pod(0, '9'), pod(9, '9'), pod(12, '9')]);
    for (let at = 0; at < batch.length; at++) store.apply(batch, at);
    store.apply(packObjects('DELETED', [pod(4)]), 0);
    const rest = selections.map((selection) => versions({ [Symbol.iterator]: () => selection }));
    expect(rest).toEqual([['pod-1:1', 'pod-2:1', 'pod-3:1', 'pod-4:1', 'pod-5:1'], ['pod-3:1'], ['pod-4:1']]);
    expect(versions(unstarted)).toEqual(['pod-0:1', 'pod-1:1', 'pod-2:1', 'pod-3:1', 'pod-4:1', 'pod-5:1']);
    expect(versions(store.select({ namespace: 'ns-0' }))).toEqual(['pod-0:9', 'pod-3:9', 'pod-9:9', 'pod-12:9']);
  });

  it('gives the objects as they were before a relist', () => {
    const store = setup(4, compress);
    const selection = store.select({})[Symbol.iterator]();
    selection.next();
    store.beginReplace();
    const batch = packObjects('listed', [pod(2, '1'), pod(3, '9'), pod(7, '9')]);
    for (let at = 0; at < batch.length; at++) store.stage(batch, at);
    store.commitReplace();
    for (const _ of store.differences({ initial: false, wentBack: false }));
    expect(versions({ [Symbol.iterator]: () => selection })).toEqual(['pod-1:1', 'pod-2:1', 'pod-3:1']);
    expect(versions(store.select({})).sort()).toEqual(['pod-2:1', 'pod-3:9', 'pod-7:9']);
  });

  it('PC-3: gives the objects of the store', () => {
    const store = setup(4, compress);
    const objects = [...store.select({})];
    expect(objects).toHaveLength(4);
    for (const object of objects) expect(typeof object === 'object' && store.get(object.metadata)).toBe(object);
    expect([...store.select({})]).toEqual(objects);
    expect(store.stats().decodes).toBe(4);
  });

  it('P-19: lists known objects again without reading each of them', () => {
    const store = setup(100, compress);
    const first = store.list();
    const again = store.list();
    expect(again).toEqual(first);
    expect(again).not.toBe(first);
    // The array belongs to the caller.
    again.length = 0;
    expect(store.list()).toHaveLength(100);
    store.apply(packObjects('MODIFIED', [pod(5, '9')]), 0);
    expect(versions(store.list())).toContain('pod-5:9');
    store.apply(packObjects('DELETED', [pod(6)]), 0);
    expect(store.list()).toHaveLength(99);
    store.apply(packObjects('ADDED', [pod(500)]), 0);
    expect(store.list()).toHaveLength(100);
    expect(store.list()).toHaveLength(100);
    store.dispose();
  });
});

function pod(number: number, resourceVersion = '1') {
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: {
      ...{ name: `pod-${number}`, namespace: `ns-${number % 3}`, uid: `u-${number}`, resourceVersion },
      labels: { parity: number % 2 ? 'odd' : 'even' },
    },
    spec: { nodeName: `node-${number % 4}` },
  };
}

function setup(count: number, compress: boolean): PackedStore<Pod> {
  const store = new EagerStore<Pod>({ kind: Pod, freeze: true, compress });
  const batch = packObjects(
    'ADDED',
    Array.from({ length: count }, (_, number) => pod(number)),
  );
  for (let at = 0; at < batch.length; at++) store.apply(batch, at);
  return store;
}

function names(objects: Iterable<Selected<Pod>>): string[] {
  return [...objects].flatMap((object) => (typeof object === 'object' ? object.metadata.name : []));
}

function versions(objects: Iterable<Selected<Pod>>): string[] {
  return [...objects].flatMap((object) =>
    typeof object === 'object' ? `${object.metadata.name}:${object.metadata.resourceVersion}` : [],
  );
}
