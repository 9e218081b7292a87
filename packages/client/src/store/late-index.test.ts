import { beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import type { DeepReadonly } from '../kinds/object.ts';
import { packObjects } from '../packed/pack-objects.ts';
import { PackedStore } from './packed-store.ts';

const COUNT = 500;

type Named = DeepReadonly<ConfigMap>;

describe('an index that is added to a store with objects', () => {
  let store: PackedStore<ConfigMap>;
  let failures: string[];

  beforeEach(async () => {
    // A turn of its own, because all work of a turn shares its budget.
    await new Promise((resolve) => setImmediate(resolve));
    failures = [];
    store = new PackedStore({
      kind: ConfigMap,
      freeze: true,
      onIndexFailure: (index, { metadata }, error) => failures.push(`${index} ${metadata.name}: ${String(error)}`),
    });
    const objects = Array.from({ length: COUNT }, (_, number) => object(`old-${number}`));
    const batch = packObjects('ADDED', objects);
    for (let at = 0; at < batch.length; at += 1) store.apply(batch, at);
  });

  function change(type: 'MODIFIED' | 'DELETED', name: string, version = '2'): void {
    store.apply(packObjects(type, [object(name, version)]), 0);
  }

  function found(name: string, value: string): string[] {
    return store.byIndex(name, value).map(({ metadata }) => metadata.name);
  }

  it('P-7: is built in turns of the event loop', async () => {
    let calls = 0;
    store.addIndex('slow', () => {
      calls += 1;
      for (const end = performance.now() + 0.2; performance.now() < end;);
      return ['x'];
    });
    expect(calls).toBeLessThan(50);
    await store.indexed;
    expect(calls).toBe(COUNT);
    expect(found('slow', 'x')).toHaveLength(COUNT);
    expect(calls).toBe(COUNT);
  });

  it('decodes each object for a function, and none for a path', async () => {
    const before = store.stats().decodes;
    store.addIndex('path', '.metadata.name');
    await store.indexed;
    expect(store.stats().decodes - before).toBe(0);
    for (const name of ['first', 'second']) store.addIndex(name, ({ metadata }) => [metadata.name]);
    await store.indexed;
    expect(store.stats().decodes - before).toBe(2 * COUNT);
  });

  it('is complete at its first lookup, and takes in the changes before', async () => {
    store.addIndex(
      'version',
      slowly(({ metadata }) => [metadata.resourceVersion]),
    );
    change('MODIFIED', 'old-0');
    change('MODIFIED', `old-${COUNT - 1}`);
    change('MODIFIED', 'new');
    change('DELETED', 'old-1');
    change('DELETED', `old-${COUNT - 2}`);
    expect(found('version', '2').sort()).toEqual(['new', 'old-0', `old-${COUNT - 1}`]);
    expect(found('version', '1')).toHaveLength(COUNT - 4);
    await store.indexed;
    expect(found('version', '1')).toHaveLength(COUNT - 4);
    expect(failures).toEqual([]);
  });

  it('takes in objects that replace others while it is built', async () => {
    store.addIndex(
      'version',
      slowly(({ metadata }) => [metadata.resourceVersion]),
    );
    for (const number of [0, 1, COUNT - 1, COUNT - 2]) change('DELETED', `old-${number}`);
    for (const name of ['a', 'b', 'c', 'd', 'e']) change('MODIFIED', name);
    await store.indexed;
    expect(found('version', '2').sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(found('version', '1')).toHaveLength(COUNT - 4);
  });

  it('cannot be read by its own function while it is built', () => {
    store.addIndex('own', ({ metadata }) => store.byIndex('own', metadata.name).map(() => 'x'));
    expect(found('own', 'x')).toEqual([]);
    expect(failures).toHaveLength(COUNT);
    expect(failures[0]).toBe(
      'own old-0: TypeError: index "own" is being built: its function cannot read it: read another index, or list objects',
    );
    failures.length = 0;
    change('MODIFIED', 'new');
    expect(failures).toEqual([]);
  });

  it('can be read by the function of another one, but not in a circle', () => {
    store.addIndex(
      'name',
      slowly(({ metadata }) => [metadata.name]),
    );
    store.addIndex('found', ({ metadata }) => found('name', metadata.name).map(() => 'yes'));
    expect(found('found', 'yes')).toHaveLength(COUNT);
    expect(failures).toEqual([]);
    store.addIndex('a', () => (found('b', 'x'), ['x']));
    store.addIndex('b', () => (found('a', 'x'), ['x']));
    expect([found('a', 'x'), found('b', 'x')].flat().length).toBeGreaterThanOrEqual(COUNT);
    expect(failures).toContainEqual(expect.stringContaining('is being built: its function cannot read it'));
    change('MODIFIED', 'new');
    expect([...found('a', 'x'), ...found('b', 'x')].filter((name) => name === 'new')).toHaveLength(2);
  });

  it('is added once if its function adds it again', () => {
    const values = slowly(({ metadata }: Named): string[] => {
      store.addIndex('again', values);
      return [metadata.name];
    });
    store.addIndex('again', values);
    change('MODIFIED', 'new');
    expect([...found('again', 'new'), ...found('again', 'old-7')]).toEqual(['new', 'old-7']);
  });

  it('is not built further when the store is disposed', async () => {
    let calls = 0;
    store.addIndex(
      'slow',
      slowly(() => {
        calls += 1;
        return [];
      }),
    );
    const before = calls;
    store.dispose();
    await store.indexed;
    expect(calls).toBe(before);
  });
});

/** Returns a function that takes 0.1 ms more. */
function slowly(work: (object: Named) => string[]): (object: Named) => string[] {
  return (object) => {
    for (const end = performance.now() + 0.1; performance.now() < end;);
    return work(object);
  };
}

function object(name: string, resourceVersion = '1') {
  const metadata = { name, namespace: 'default', uid: name, resourceVersion };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}
