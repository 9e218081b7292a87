import { describe, expect, it } from '@jest/globals';
import type { ConfigMap } from '../kinds/builtin.ts';
import type { DeepReadonly } from '../kinds/object.ts';
import { configMap } from '../reflector/scripted-lister-watcher.fixture.ts';
import { Store } from './store.ts';

function names(objects: readonly DeepReadonly<ConfigMap>[]): string[] {
  return objects.map(({ metadata }) => metadata.name);
}

const byLetter = ({ metadata }: DeepReadonly<ConfigMap>) => [metadata.name.slice(0, 1)];

describe('Store', () => {
  it('finds objects by namespace and name', () => {
    const store = new Store<ConfigMap>();
    const cart = configMap('cart', '1', 'u1', 'shop');
    store.put(cart);
    store.put(configMap('cart', '2', 'u2', 'test'));
    expect(store.size).toBe(2);
    expect(store.get({ namespace: 'shop', name: 'cart' })).toBe(cart);
    expect(store.get({ namespace: 'shop', name: 'other' })).toBeUndefined();
    expect(store.get({ name: 'cart' })).toBeUndefined();
    expect(names(store.list('test'))).toEqual(['cart']);
    expect(store.list('none')).toEqual([]);
    expect(store.list()).toHaveLength(2);
  });

  it('holds cluster-scoped objects without a namespace', () => {
    const store = new Store<ConfigMap>();
    store.put(configMap('node', '1', 'u', ''));
    expect(store.get({ name: 'node' })).toBe(store.get({ namespace: '', name: 'node' }));
    expect(store.get({ name: 'node' })).toBeDefined();
  });

  it('counts objects, and iterates over their keys, by namespace or in total', () => {
    const store = new Store<ConfigMap>();
    store.put(configMap('cart', '1', 'u1', 'shop'));
    store.put(configMap('cart', '2', 'u2', 'test'));
    store.put(configMap('node', '3', 'u3', ''));
    expect([store.count(), store.count('shop'), store.count(''), store.count('none')]).toEqual([3, 1, 1, 0]);
    expect([...store.keys()]).toEqual([
      { namespace: 'shop', name: 'cart' },
      { namespace: 'test', name: 'cart' },
      { name: 'node' },
    ]);
    expect([...store.keys('test')]).toEqual([{ namespace: 'test', name: 'cart' }]);
    expect([...store.keys('none')]).toEqual([]);
  });

  it('returns the result of a put', () => {
    const store = new Store<ConfigMap>();
    const first = configMap('a', '1');
    expect(store.put(first)).toEqual({ type: 'added' });
    expect(store.put(configMap('a', '1'))).toEqual({ type: 'unchanged' });
    expect(store.get({ namespace: 'default', name: 'a' })).toBe(first);
    expect(store.put(configMap('a', '2'))).toEqual({ type: 'replaced', old: first });
    expect(store.put(configMap('a', '2', 'another'))).toMatchObject({ type: 'replaced' });
    expect(store.size).toBe(1);
  });

  it('treats every object of a server without versions as changed', () => {
    const store = new Store<ConfigMap>();
    store.put(configMap('a', ''));
    expect(store.put(configMap('a', ''))).toMatchObject({ type: 'replaced' });
  });

  it('removes deleted objects, also from namespaces and indexes', () => {
    const store = new Store<ConfigMap>();
    store.addIndex('letter', byLetter);
    const object = configMap('a', '1');
    store.put(object);
    expect(store.delete({ namespace: 'default', name: 'a' })).toBe(object);
    expect(store.delete({ namespace: 'default', name: 'a' })).toBeUndefined();
    expect(store.size).toBe(0);
    expect(store.list('default')).toEqual([]);
    expect(store.byIndex('letter', 'a')).toEqual([]);
  });

  it('CL-4: maintains indexes that were created before or after the objects', () => {
    const store = new Store<ConfigMap>();
    store.addIndex('before', byLetter);
    store.put(configMap('ape', '1'));
    store.put(configMap('ant', '2'));
    store.put(configMap('bee', '3'));
    store.addIndex('after', byLetter);
    for (const index of ['before', 'after']) {
      expect(names(store.byIndex(index, 'a'))).toEqual(['ape', 'ant']);
      expect(names(store.byIndex(index, 'c'))).toEqual([]);
    }
  });

  it('moves an object in its indexes when its values change', () => {
    const store = new Store<ConfigMap>();
    store.addIndex('data', ({ data }) => Object.values(data ?? {}));
    store.put({ ...configMap('a', '1'), data: { x: 'red', y: 'blue' } });
    store.put({ ...configMap('a', '2'), data: { x: 'blue' } });
    expect(names(store.byIndex('data', 'blue'))).toEqual(['a']);
    expect(names(store.byIndex('data', 'red'))).toEqual([]);
  });

  it('CL-4: adding an index again has no effect', () => {
    const store = new Store<ConfigMap>();
    store.addIndex('letter', byLetter);
    store.put(configMap('a', '1'));
    store.addIndex('letter', byLetter);
    expect(names(store.byIndex('letter', 'a'))).toEqual(['a']);
  });

  it('names the existing indexes if one does not exist', () => {
    const store = new Store<ConfigMap>();
    expect(() => store.byIndex('letter', 'a')).toThrow('index "letter" does not exist: create it with indexField');
    store.addIndex('name', byLetter);
    expect(() => store.byIndex('letter', 'a')).toThrow('(existing indexes: "name")');
  });

  it('exchanges its objects with another store, and keeps every index', () => {
    const store = new Store<ConfigMap>();
    store.addIndex('letter', byLetter);
    store.put(configMap('old', '1'));
    const next = store.emptyCopy();
    next.put(configMap('new', '2'));
    store.addIndex('late', byLetter);
    store.swap(next);
    expect(names(store.list())).toEqual(['new']);
    expect(names(store.byIndex('letter', 'n'))).toEqual(['new']);
    expect(names(store.byIndex('late', 'n'))).toEqual(['new']);
    expect(names(next.list())).toEqual(['old']);
    expect(store.size).toBe(1);
  });

  it('S-6: accepts names that plain objects inherit', () => {
    const store = new Store<ConfigMap>();
    store.addIndex('name', ({ metadata }) => [metadata.name]);
    expect(store.get({ namespace: '__proto__', name: 'constructor' })).toBeUndefined();
    store.put(configMap('__proto__', '1', 'u', 'constructor'));
    expect(names(store.byIndex('name', '__proto__'))).toEqual(['__proto__']);
    expect(names(store.list('constructor'))).toEqual(['__proto__']);
  });

  it('S-14: omits an object only from the index whose function throws', () => {
    const failures: string[] = [];
    const store = new Store<ConfigMap>((index, { metadata }, error) =>
      failures.push(`${index} ${metadata.name}: ${String(error)}`),
    );
    store.addIndex('byData', ({ data }) => Object.keys(data as object));
    store.addIndex('byName', ({ metadata }) => [metadata.name]);
    const { data: _, ...broken } = configMap('a', '1');
    store.put(broken);
    store.put({ ...configMap('b', '1'), data: { k: 'v' } });
    expect(failures).toHaveLength(1);
    expect(failures[0]).toContain('byData a: TypeError');
    expect(store.byIndex('byName', 'a')).toEqual([broken]);
    expect(store.byIndex('byData', 'k')).toHaveLength(1);
    store.delete(broken.metadata);
    expect(store.size).toBe(1);
  });
});
