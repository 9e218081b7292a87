import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { packObjects } from '../packed/pack-objects.ts';
import { DecodeCache } from './decode-cache.ts';
import { PackedStore } from './packed-store.ts';
import { RecordTable } from './record-table.ts';
import { View } from './view.ts';

const COUNT = 2_000;

describe('P-7: a store with many objects', () => {
  let store: PackedStore<ConfigMap>;

  beforeEach(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    store = new PackedStore({ kind: ConfigMap, freeze: true });
    const batch = packObjects('ADDED', objects(COUNT));
    for (let at = 0; at < batch.length; at += 1) store.apply(batch, at);
  });

  afterEach(() => void jest.restoreAllMocks());

  /** Returns the number of times that `work` reads a record. */
  function readsOf(work: () => unknown): number {
    const get = jest.spyOn(RecordTable.prototype, 'get').mockClear();
    work();
    return get.mock.calls.length;
  }

  it('is viewed and selected without a look at all records', () => {
    expect(readsOf(() => store.events())).toBe(0);
    expect(readsOf(() => store.select({}))).toBe(0);
  });

  it('changes without a look at all records while it is viewed', () => {
    const views = [store.events(), store.events(), store.select({})[Symbol.iterator]()];
    for (const view of views) view.next();
    const change = packObjects('MODIFIED', objects(COUNT + 1, '2'));
    expect(readsOf(() => store.apply(change, COUNT - 1))).toBeLessThan(100);
    expect(readsOf(() => store.apply(change, COUNT))).toBeLessThan(100);
    for (const view of views) expect([...{ [Symbol.iterator]: () => view }]).toHaveLength(COUNT - 1);
  });

  it('frees the decoded objects in turns when it is disposed', async () => {
    store.list();
    const release = jest.spyOn(DecodeCache.prototype, 'release');
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 1));
    store.dispose();
    expect(release.mock.calls.length).toBeLessThan(100);
    while (release.mock.calls.length < COUNT) await new Promise((resolve) => setImmediate(resolve));
  });

  it('discards an unfinished relist in steps', () => {
    store.beginReplace();
    const batch = packObjects('listed', objects(COUNT, '2'));
    for (let at = 0; at < batch.length; at += 1) store.stage(batch, at);
    expect(readsOf(() => store.beginReplace())).toBe(0);
    const steps = store.discardUnfinished();
    expect(readsOf(() => Array.from({ length: 100 }, () => steps.next()))).toBeLessThan(10_000);
    expect([...steps].length).toBeGreaterThan(COUNT - 200);
  });
});

describe('a view', () => {
  it('ends when a read throws, so that the store does not keep the previous states of objects for it', () => {
    const store = new PackedStore({ kind: ConfigMap, freeze: true });
    const batch = packObjects('ADDED', objects(3));
    for (let at = 0; at < batch.length; at += 1) store.apply(batch, at);
    const failing = store.select({
      matchesLabels() {
        throw new TypeError('selector');
      },
    });
    expect(() => [...failing]).toThrow(new TypeError('selector'));
    const beforeChange = jest.spyOn(View.prototype, 'beforeChange');
    store.apply(packObjects('MODIFIED', objects(1, '2')), 0);
    expect(beforeChange).not.toHaveBeenCalled();
    beforeChange.mockRestore();
  });
});

function objects(count: number, resourceVersion = '1') {
  return Array.from({ length: count }, (_, number) => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: { name: `config-${number}`, namespace: 'default', uid: `u-${number}`, resourceVersion },
  }));
}
