import { describe, expect, it, jest } from '@jest/globals';
import { defineKind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { packObjects } from '../packed/pack-objects.ts';
import { FieldCut } from '../packed/field-cut.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import { collectGarbage } from '../garbage/garbage.fixture.ts';
import { EagerStore } from './eager-store.fixture.ts';
import type { PackedStore, PackedStoreOptions } from './packed-store.ts';
import { SlabPool } from './slab-pool.ts';
import type { PackedStoreStats } from './store-stats.ts';

interface Item extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

const Item = defineKind<Item>({ apiVersion: 'v1', kind: 'Item' });

function item(name: string, version = '1', data: Item['data'] = {}) {
  const metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: version };
  return { apiVersion: 'v1', kind: 'Item', metadata, data };
}

function apply(store: PackedStore<Item>, type: 'ADDED' | 'DELETED', ...objects: readonly object[]) {
  return eventsOf(packObjects(type, objects), (batch, index) => store.apply(batch, index));
}

function relist(store: PackedStore<Item>, objects: readonly object[], { wentBack = false } = {}) {
  store.beginReplace();
  eventsOf(packObjects('listed', objects), (batch, index) => store.stage(batch, index));
  store.commitReplace();
  return [...store.differences({ initial: false, wentBack })].flat();
}

function eventsOf<E>(batch: PackedBatch, each: (batch: PackedBatch, index: number) => readonly E[] | void): E[] {
  return Array.from({ length: batch.length }, (_, index) => each(batch, index) ?? []).flat();
}

function names(objects: readonly { readonly metadata: { readonly name: string } }[]): string[] {
  return objects.map(({ metadata }) => metadata.name).sort();
}

describe.each([false, true])('PC-8: PackedStore (compress: %s)', (compress) => {
  function itemStore(options: Partial<PackedStoreOptions<Item>> = {}) {
    return new EagerStore<Item>({ kind: Item, freeze: true, slabs: new SlabPool(), compress, ...options });
  }

  /** The bytes of compressed objects are compared in opened blocks. */
  function expectNothingKept(before: PackedStoreStats, after: PackedStoreStats, objects: number) {
    expect(after).toEqual({ ...before, opens: after.opens });
    expect(after.opens - before.opens).toBeLessThanOrEqual(compress ? objects : 0);
  }

  it('PC-3: returns the identical object to reads and events while it is held', async () => {
    const store = itemStore();
    const [added] = apply(store, 'ADDED', item('a'));
    const object = store.get({ namespace: 'default', name: 'a' });
    expect(Object.isFrozen(object)).toBe(true);
    expect(added?.object).toBe(object);
    expect(store.list()[0]).toBe(object);
    await collectGarbage();
    expect(store.get({ namespace: 'default', name: 'a' })).toBe(object);
    expect(store.stats().decodes).toBe(1);
  });

  it('PC-4: decodes nothing for keys, versions and counts', () => {
    const store = itemStore();
    const events = apply(store, 'ADDED', item('a'), item('b', '7'));
    expect(events.map(({ key }) => key.name)).toEqual(['a', 'b']);
    expect([...store.keys('default')]).toHaveLength(2);
    expect(store.count('default')).toBe(2);
    expect(store.resourceVersionOf({ namespace: 'default', name: 'b' })).toBe('7');
    expect(store.stats()).toMatchObject({ objects: 2, decodes: 0, metadataDecodes: 0 });
  });

  it('PC-7: a relist of unchanged objects decodes nothing and needs no memory', () => {
    const store = itemStore();
    store.addIndex('data', ({ data }) => Object.values(data ?? {}));
    const objects = Array.from({ length: 1_000 }, (_, index) => item(`item-${index}`, '1', { k: 'x'.repeat(1_000) }));
    expect(relist(store, objects)).toHaveLength(1_000);
    const before = store.stats();
    store.beginReplace();
    eventsOf(packObjects('listed', objects), (batch, index) => store.stage(batch, index));
    expectNothingKept(before, store.stats(), objects.length);
    store.commitReplace();
    expect([...store.differences({ initial: false, wentBack: false })].flat()).toEqual([]);
    expectNothingKept(before, store.stats(), objects.length);
  });

  it('PC-7: a relist of unchanged objects that came as watch events needs no memory', () => {
    const store = itemStore();
    const objects = Array.from({ length: 100 }, (_, index) => item(`item-${index}`));
    apply(store, 'ADDED', ...objects);
    const before = store.stats();
    store.beginReplace();
    const listed = objects.map(({ apiVersion: _, kind: __, ...fields }) => fields);
    eventsOf(packObjects('listed', listed), (batch, index) => store.stage(batch, index));
    expectNothingKept(before, store.stats(), objects.length);
    store.commitReplace();
    expect([...store.differences({ initial: false, wentBack: false })].flat()).toEqual([]);
    expect(store.list()).toEqual(objects);
  });

  it.each([{ kind: 'Other', apiVersion: 'v9' }, {}])(
    'PC-2: an object has the kind of its cache, whether it came in a watch or in a list: %j',
    (sent) => {
      const { apiVersion: _, kind: __, ...rest } = item('a');
      const store = itemStore();
      apply(store, 'ADDED', { ...sent, ...rest });
      expect(store.list()).toEqual([item('a')]);
      expect(relist(store, [{ ...sent, ...rest }])).toEqual([]);
      expect(store.list()).toEqual([item('a')]);
      const other = itemStore();
      relist(other, [{ ...sent, ...rest }]);
      expect(other.list()).toEqual([item('a')]);
    },
  );

  it('PC-10: an event that is kept reads what it read when it came', () => {
    const slabs = new SlabPool();
    const store = itemStore({ slabs });
    const [added] = apply(store, 'ADDED', item('a', '1', { k: 'first' }));
    const [updated] = apply(store, 'ADDED', item('a', '2', { k: 'second' }));
    for (let version = 3; version < 500; version += 1) {
      apply(store, 'ADDED', item('a', String(version), { k: 'x'.repeat(1_000) }));
    }
    store.dispose();
    expect(added?.object.data).toEqual({ k: 'first' });
    expect(updated).toMatchObject({ type: 'update', oldObject: item('a', '1', { k: 'first' }) });
    expect(updated?.object).toEqual(item('a', '2', { k: 'second' }));
    expect(store.stats()).toMatchObject({ objects: 0, alive: 0 });
  });

  it('reports another uid as a deletion and an addition', () => {
    const store = itemStore();
    apply(store, 'ADDED', item('a'));
    const successor = { ...item('a'), metadata: { ...item('a').metadata, uid: 'another' } };
    expect(apply(store, 'ADDED', successor).map(({ type }) => type)).toEqual(['delete', 'add']);
    expect(relist(store, [item('a')]).map(({ type }) => type)).toEqual(['delete', 'add']);
    expect(store.size).toBe(1);
  });

  it('treats every object of a server without versions as changed', () => {
    const store = itemStore();
    apply(store, 'ADDED', item('a', ''));
    expect(apply(store, 'ADDED', item('a', ''))).toMatchObject([{ type: 'update' }]);
  });

  it('frees the objects of an unfinished relist when the next one begins', () => {
    const store = itemStore();
    apply(store, 'ADDED', item('kept'));
    const { alive } = store.stats();
    for (const attempt of [1, 2, 3]) {
      store.beginReplace();
      const listed = [item('kept', '2'), ...[1, 2, 3].map((number) => item(`job-${attempt}-${number}`))];
      eventsOf(packObjects('listed', listed), (batch, index) => store.stage(batch, index));
    }
    store.beginReplace();
    expect([...store.discardUnfinished()].length).toBeGreaterThan(0);
    expect(store.stats().alive).toBe(alive);
    expect([...store.discardUnfinished()]).toEqual([]);
    expect(names(store.list())).toEqual(['kept']);
    expect(relist(store, [item('kept')])).toEqual([]);
  });

  it('takes no memory for fields that are dropped', () => {
    const store = itemStore({ cut: new FieldCut({ drop: ['data'] }) });
    for (let number = 0; number < 10; number += 1) {
      apply(store, 'ADDED', item(`item-${number}`, '1', { large: 'x'.repeat(600_000) }));
    }
    expect(store.stats().held).toBeLessThan(100_000);
  });

  it.each([
    ['2026-01-01T00:00:00Z', true],
    ['', false],
  ])('has one meaning of a deletion timestamp of "%s"', (deletionTimestamp, isDeleting) => {
    const store = itemStore();
    const { metadata } = item('a');
    const [added] = apply(store, 'ADDED', { ...item('a'), metadata: { ...metadata, deletionTimestamp } });
    expect([store.isDeleting(metadata), added?.packed.isDeleting]).toEqual([isDeleting, isDeleting]);
  });

  it('shows the listed objects only when the list is complete', () => {
    const store = itemStore();
    store.addIndex('name', ({ metadata }) => [metadata.name]);
    apply(store, 'ADDED', item('old'), item('both'));
    store.beginReplace();
    eventsOf(packObjects('listed', [item('both', '2'), item('new')]), (batch, index) => store.stage(batch, index));
    expect(names(store.list())).toEqual(['both', 'old']);
    expect(store.count('default')).toBe(2);
    expect(store.byIndex('name', 'new')).toEqual([]);
    store.commitReplace();
    expect(names(store.list('default'))).toEqual(['both', 'new']);
    expect(store.byIndex('name', 'old')).toEqual([]);
    expect(store.byIndex('name', 'both')).toMatchObject([{ metadata: { resourceVersion: '2' } }]);
    const events = [...store.differences({ initial: false, wentBack: false })].flat();
    expect(events.map(({ type, key }) => `${type} ${key.name}`).sort()).toEqual([
      'add new',
      'delete old',
      'update both',
    ]);
  });

  it('stores cluster-scoped objects, and names that plain objects inherit', () => {
    const store = itemStore();
    const { namespace: _, ...metadata } = item('__proto__').metadata;
    apply(store, 'ADDED', { ...item('__proto__'), metadata });
    expect(store.get({ name: '__proto__' })).toBe(store.get({ namespace: '', name: '__proto__' }));
    expect(store.get({ name: '__proto__' })).toEqual({ ...item('__proto__'), metadata });
    expect(store.get({ namespace: '__proto__', name: 'constructor' })).toBeUndefined();
  });

  it('S-14: omits an object only from the index whose function throws', () => {
    const failures: string[] = [];
    const store = itemStore({
      onIndexFailure: (index, { metadata }, error) => failures.push(`${index} ${metadata.name}: ${String(error)}`),
    });
    store.addIndex('byData', ({ data }) => Object.keys(data as object));
    store.addIndex('byName', ({ metadata }) => [metadata.name]);
    const { data: __, ...broken } = item('a');
    apply(store, 'ADDED', broken, item('b', '1', { k: 'v' }));
    expect(failures).toEqual([expect.stringContaining('byData a: TypeError')]);
    expect(store.byIndex('byName', 'a')).toEqual([broken]);
    expect(names(store.byIndex('byData', 'k'))).toEqual(['b']);
    apply(store, 'DELETED', broken);
    expect(store.byIndex('byName', 'a')).toEqual([]);
  });

  it.each<[string, () => unknown, string]>([
    ['undefined', () => [undefined], 'value 0 is undefined'],
    ['null', () => ['x', null], 'value 1 is null'],
    ['a number', () => [42], 'value 0 is a number'],
    ['no iterable', () => 42, 'the result is a number: return an array of strings'],
    ['a string', () => 'app', 'the result is a string: return an array of strings'],
    ['nothing', () => undefined, 'the result is undefined: return an array of strings'],
    ['a promise', () => Promise.reject(new Error('x')), 'the result is a promise: the function must be synchronous'],
    ['too many values', () => Array.from({ length: 1_000_000 }, (_, index) => String(index)), 'more than 10000 values'],
    ['an endless iterable', endless, 'more than 10000 values'],
  ])('S-14: omits an object from an index whose function returns %s, and loses no event', (_, result, message) => {
    const failures: string[] = [];
    const store = itemStore({ onIndexFailure: (index, __, error) => failures.push(`${index}: ${String(error)}`) });
    store.addIndex('good', () => ['x']);
    store.addIndex('bad', ({ data }) => (data?.['k'] === undefined ? result() : ['x']) as string[]);
    expect(apply(store, 'ADDED', item('a')).map(({ type }) => type)).toEqual(['add']);
    expect(apply(store, 'ADDED', item('a', '2')).map(({ type }) => type)).toEqual(['update']);
    expect(failures).toEqual(Array.from({ length: 2 }, () => expect.stringContaining(message)));
    expect(failures[0]).toMatch(/^bad: TypeError/);
    expect([store.size, names(store.byIndex('good', 'x')), names(store.byIndex('bad', 'x'))]).toEqual([1, ['a'], []]);
    apply(store, 'ADDED', item('a', '3', { k: 'v' }));
    expect(names(store.byIndex('bad', 'x'))).toEqual(['a']);
    expect(apply(store, 'DELETED', item('a')).map(({ type }) => type)).toEqual(['delete']);
    expect(store.byIndex('bad', 'x')).toEqual([]);
  });

  it('S-14: loses no event if the failure of an index function cannot be reported', () => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const store = itemStore({
      onIndexFailure: () => {
        throw new Error('no log');
      },
    });
    apply(store, 'ADDED', item('a'), item('b'));
    const notA = ({ metadata }: Item): readonly string[] => [metadata.name === 'a' ? undefined : 'x'] as string[];
    store.addIndex('notA', notA as never);
    expect(apply(store, 'ADDED', item('a', '2'), item('c')).map(({ type }) => type)).toEqual(['update', 'add']);
    expect([store.size, ...names(store.byIndex('notA', 'x'))]).toEqual([3, 'b', 'c']);
    expect(emitWarning.mock.calls.map(([warning]) => warning)).toEqual(
      Array.from({ length: 2 }, () => 'a logger or failure handler threw: no log'),
    );
    emitWarning.mockRestore();
  });

  it('shows an object to index functions only after the change', () => {
    const store = itemStore();
    const seen: unknown[] = [];
    apply(store, 'ADDED', item('a'));
    store.addIndex('self', ({ metadata }) => {
      const versions = store.list().map((object) => `${object.metadata.name}@${object.metadata.resourceVersion}`);
      const late = Array.from(store.events(), ({ key }) => key.name);
      seen.push([metadata.name, versions, late, store.size, store.count('default')]);
      return ['x'];
    });
    seen.length = 0;
    apply(store, 'ADDED', item('b'));
    apply(store, 'ADDED', item('b', '2'));
    apply(store, 'DELETED', item('a'));
    apply(store, 'ADDED', item('c'));
    expect(seen).toEqual([
      ['b', ['a@1'], ['a'], 1, 1],
      ['b', ['a@1', 'b@1'], ['a', 'b'], 2, 2],
      ['c', ['b@2'], ['b'], 1, 1],
    ]);
    expect(names(store.byIndex('self', 'x'))).toEqual(['b', 'c']);
    expect(store.get({ namespace: 'default', name: 'c' })).toEqual(item('c'));
  });

  it.each([true, false])('an index function that changes its object fails if objects are frozen: %s', (freeze) => {
    const failures: string[] = [];
    const store = itemStore({
      freeze,
      onIndexFailure: (index, _, error) => failures.push(`${index}: ${String(error)}`),
    });
    store.addIndex('changing', ({ metadata }) => {
      (metadata as { name: string }).name = 'changed';
      return ['x'];
    });
    store.addIndex('reading', ({ metadata }) => [metadata.name]);
    apply(store, 'ADDED', item('a'));
    expect(failures).toEqual(
      freeze ? [expect.stringContaining('changing: TypeError: Cannot assign to read only')] : [],
    );
    expect(names(store.byIndex('reading', 'a'))).toEqual(freeze ? ['a'] : []);
    expect(names(store.byIndex('changing', 'x'))).toEqual(freeze ? [] : ['a']);
  });

  it('PC-4: decodes an object once for all index functions', () => {
    const store = itemStore();
    for (const name of ['a', 'b', 'c']) store.addIndex(name, ({ metadata }) => [metadata.name]);
    apply(store, 'ADDED', item('x'));
    expect(store.stats().decodes).toBe(1);
  });

  it('an index function may use the store, and add an index', () => {
    const store = itemStore();
    apply(store, 'ADDED', item('a'));
    store.addIndex('outer', ({ metadata }) => {
      store.addIndex('inner', () => ['x']);
      store.get({ namespace: 'default', name: 'a' });
      return [...store.keys()].map(({ name }) => `${metadata.name} ${name}`);
    });
    apply(store, 'ADDED', item('b'));
    apply(store, 'ADDED', item('b', '2'));
    expect(names(store.byIndex('inner', 'x'))).toEqual(['a', 'b']);
    expect(names(store.byIndex('outer', 'b a'))).toEqual(['b']);
  });

  it('an index that is added by an index function has each object once', () => {
    const store = itemStore();
    store.addIndex('outer', () => {
      store.addIndex('inner', () => ['x']);
      return [];
    });
    apply(store, 'ADDED', item('a'));
    expect(names(store.byIndex('inner', 'x'))).toEqual(['a']);
  });

  it('names the existing indexes if one does not exist', () => {
    const store = itemStore();
    store.addIndex('name', '.metadata.name');
    expect(() => store.byIndex('letter', 'a')).toThrow('index "letter" does not exist: create it with indexField');
    expect(() => store.byIndex('letter', 'a')).toThrow('(existing indexes: "name")');
  });

  it('reserves little for a small store', () => {
    const store = itemStore();
    apply(store, 'ADDED', item('a'));
    for (let version = 2; version < 1_000; version += 1) apply(store, 'ADDED', item('a', String(version)));
    expect(store.stats().held).toBeLessThan(8_192);
  });
});

function* endless(): Generator<string, void, undefined> {
  for (;;) yield 'x';
}
