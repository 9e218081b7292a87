import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { packObjects } from '../packed/pack-objects.ts';
import type { BlockCodec } from './block-codec.ts';
import { testCodec } from './eager-store.fixture.ts';
import { PackedStore, type PackedStoreOptions } from './packed-store.ts';
import { SlabPool } from './slab-pool.ts';

const keyOf = (number: number) => ({ namespace: 'shop', name: `item-${number}` });

function item(number: number, version = '1', size = 1_000) {
  const metadata = {
    ...keyOf(number),
    uid: `u-${number}`,
    resourceVersion: version,
    labels: { app: `app-${number % 3}` },
  };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: `${number} and `.repeat(size / 10) } };
}

function items(count: number, version = '1') {
  return Array.from({ length: count }, (_, number) => item(number, version));
}

function compressedStore(options: Partial<PackedStoreOptions<ConfigMap>> = {}) {
  return new PackedStore<ConfigMap>({
    kind: ConfigMap,
    freeze: true,
    slabs: new SlabPool(),
    compress: true,
    ...options,
  });
}

function apply(store: PackedStore<ConfigMap>, type: 'ADDED' | 'DELETED', objects: readonly object[]) {
  const batch = packObjects(type, objects);
  return objects.flatMap((_, index) => store.apply(batch, index));
}

function list(store: PackedStore<ConfigMap>, objects: readonly object[]) {
  const batch = packObjects('listed', objects);
  store.beginReplace();
  for (let index = 0; index < batch.length; index += 1) store.stage(batch, index);
  store.commitReplace();
  return [...store.differences({ initial: true, wentBack: false })].flat();
}

const failing: BlockCodec = {
  ...testCodec,
  compress: () => {
    throw new Error('out of memory');
  },
};

describe('PackedStore with compression', () => {
  // One clock for all tests, because all stores of the process share a timer.
  beforeAll(() => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
  });
  afterAll(() => {
    jest.useRealTimers();
  });

  it('PC-8: keeps few plain objects during a list', () => {
    const store = compressedStore();
    const batch = packObjects('listed', items(5_000));
    store.beginReplace();
    let mostPlain = 0;
    for (let index = 0; index < batch.length; index += 1) {
      store.stage(batch, index);
      const { alive, compressed } = store.stats();
      mostPlain = Math.max(mostPlain, alive - compressed);
    }
    expect(store.stats().opened).toBeGreaterThan(4e6);
    expect(mostPlain).toBeLessThan(1.5e6);
    expect(store.stats().compressed).toBeLessThan(1.5e6);
  });

  it('PC-8: compresses at most one block for each object of a list', () => {
    let blocks = 0;
    const compress = (bytes: Uint8Array): Uint8Array => {
      blocks += 1;
      expect(bytes.length).toBeLessThanOrEqual(32 * 1024);
      return testCodec.compress(bytes);
    };
    const store = compressedStore({ codec: { ...testCodec, compress } });
    const batch = packObjects('listed', items(5_000));
    store.beginReplace();
    for (let index = 0; index < batch.length; index += 1) {
      const before = blocks;
      store.stage(batch, index);
      expect(blocks - before).toBeLessThanOrEqual(1);
    }
    expect(blocks).toBeGreaterThan(100);
  });

  it('PC-8: compresses what is left after a list, without decoding', async () => {
    const store = compressedStore();
    list(store, items(100));
    await jest.advanceTimersByTimeAsync(500);
    expect(store.stats()).toMatchObject({ objects: 100, decodes: 0, opens: 0 });
    expect(store.stats().alive).toBe(store.stats().compressed);
    expect(store.list()).toEqual(items(100));
    expect(store.stats().opens).toBeLessThan(10);
  });

  it('PC-8: compresses objects of watch events when the store is quiet', async () => {
    const store = compressedStore();
    apply(store, 'ADDED', items(100));
    expect(store.stats().compressed).toBeLessThan(store.stats().alive / 2);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(store.stats().alive).toBe(store.stats().compressed);
    expect(store.list()).toEqual(items(100));
  });

  it('PC-8: leaves a few objects plain', async () => {
    const store = compressedStore();
    apply(store, 'ADDED', items(5));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(store.stats().compressed).toBe(0);
    expect(store.list()).toEqual(items(5));
  });

  it('PC-8: does not compress unless it is asked to', async () => {
    const store = compressedStore({ compress: false });
    list(store, items(5_000));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(store.stats().compressed).toBe(0);
  });

  it('PC-8: keeps objects plain if compression fails, and tries each of them once', async () => {
    let tried = 0;
    const compress = (bytes: Uint8Array): never => {
      tried += bytes.length;
      return failing.compress(bytes) as never;
    };
    const store = compressedStore({ codec: { ...testCodec, compress } });
    list(store, items(2_000));
    await jest.advanceTimersByTimeAsync(5_000);
    const { alive, compressed } = store.stats();
    expect([compressed, tried]).toEqual([0, alive]);
    expect(store.list()).toEqual(items(2_000));
    expect(apply(store, 'DELETED', items(1_000))).toHaveLength(1_000);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(store.size).toBe(1_000);
  });

  it('PC-8: compresses again when compression succeeds again', async () => {
    let isFailing = true;
    const compress = (bytes: Uint8Array) => (isFailing ? failing : testCodec).compress(bytes);
    const store = compressedStore({ codec: { ...testCodec, compress } });
    list(store, items(200));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(store.stats().compressed).toBe(0);
    isFailing = false;
    apply(store, 'ADDED', items(200, '2'));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(store.stats().alive).toBe(store.stats().compressed);
    expect(store.list()).toHaveLength(200);
  });

  it('PC-2, PC-8: serves the latest objects after there was no memory for a block', () => {
    const slabs = new SlabPool();
    const store = compressedStore({ slabs });
    apply(store, 'ADDED', items(90));
    const take = jest.spyOn(slabs, 'take').mockImplementationOnce(() => {
      throw new RangeError('out of memory');
    });
    expect(() => store.compress()).toThrow(RangeError);
    expect(take).toHaveBeenCalledTimes(1);

    const [deleted, kept] = [items(90).slice(0, 30), items(90, '2').slice(30)];
    apply(store, 'DELETED', deleted);
    apply(store, 'ADDED', kept);
    store.compress();
    expect(store.stats().compressed).toBeGreaterThan(0);
    expect(store.list()).toEqual(kept);
    expect([...store.keys()]).toHaveLength(60);
  });

  it('PC-8: can be disposed of while it is compressed', async () => {
    const store = compressedStore();
    const events = apply(store, 'ADDED', items(3_000));
    const [, second] = [store.list(), apply(store, 'ADDED', items(1, '2'))];
    await jest.advanceTimersByTimeAsync(10);
    const { compressed, alive } = store.stats();
    expect(compressed).toBeGreaterThan(0);
    expect(compressed).toBeLessThan(alive);
    store.dispose();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(store.stats()).toMatchObject({ objects: 0, alive: 0, compressed: 0, opened: 0 });
    expect(events.map(({ object }) => object)).toEqual(items(3_000));
    expect(second[0]?.object).toEqual(item(0, '2'));
  });

  it('PC-8: compacts blocks with few remaining objects, and compresses them again', async () => {
    const store = compressedStore();
    list(store, items(3_000));
    await jest.advanceTimersByTimeAsync(5_000);
    const { held } = store.stats();
    apply(
      store,
      'DELETED',
      items(3_000).filter((_, number) => number % 4 !== 0),
    );
    await jest.advanceTimersByTimeAsync(20_000);
    const stats = store.stats();
    expect(stats.compactions).toBeGreaterThan(0);
    expect(stats.compressed).toBe(stats.alive);
    expect(stats.held).toBeLessThan(0.7 * held);
    expect(store.list()).toEqual(items(3_000).filter((_, number) => number % 4 === 0));
  });

  it('PC-8: compresses a large object alone, and leaves one beyond a megabyte plain', async () => {
    const store = compressedStore();
    const objects = [item(1, '1', 500_000), item(2, '1', 2_000_000)];
    apply(store, 'ADDED', objects);
    await jest.advanceTimersByTimeAsync(5_000);
    const { opened, alive } = store.stats();
    expect(opened).toBeGreaterThan(300_000);
    expect(opened).toBeLessThan(301_000);
    expect(alive).toBeGreaterThan(1_200_000);
    expect(alive).toBeLessThan(1_210_000);
    expect(store.list()).toEqual(objects);
  });

  it('PC-7, PC-8: a relist of unchanged objects opens each block once', async () => {
    const store = compressedStore();
    const listed = items(3_000).map(({ apiVersion: _, kind: __, ...fields }) => fields);
    apply(store, 'ADDED', items(3_000));
    await jest.advanceTimersByTimeAsync(5_000);
    const before = store.stats();
    expect(list(store, listed)).toEqual([]);
    const { opens, ...after } = store.stats();
    expect({ ...after, opens: 0 }).toEqual({ ...before, opens: 0 });
    expect(opens).toBeLessThan(150);
  });

  it('PC-10: an event of a compressed object reads it after the object is gone', async () => {
    const store = compressedStore();
    list(store, items(200));
    await jest.advanceTimersByTimeAsync(5_000);
    const late = [...store.events()];
    const updates = apply(store, 'ADDED', items(200, '2'));
    apply(store, 'DELETED', items(200, '2'));
    apply(store, 'ADDED', items(2_000, '3'));
    await jest.advanceTimersByTimeAsync(30_000);
    store.dispose();
    expect(late.map(({ metadata }) => metadata.resourceVersion)).toEqual(items(200).map(() => '1'));
    expect(late.map(({ object }) => object)).toEqual(items(200));
    expect(updates.map((event) => event.type === 'update' && event.hasChanged('labels'))).not.toContain(true);
    expect(updates.map((event) => event.type === 'update' && event.oldObject)).toEqual(items(200));
    expect(updates.map(({ object }) => object)).toEqual(items(200, '2'));
  });
});
