import { beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { packObjects } from '../packed/pack-objects.ts';
import { EagerStore } from './eager-store.fixture.ts';
import type { PackedStore } from './packed-store.ts';

describe.each([false, true])(
  'PC-8: keys of a PackedStore that changes between two steps (compress: %s)',
  (compress) => {
    let store: PackedStore<ConfigMap>;
    let version = 0;

    beforeEach(() => {
      store = new EagerStore({ kind: ConfigMap, freeze: true, compress });
      for (const name of ['0', '1', '2', '3']) change('ADDED', 'a', name);
    });

    function change(type: 'ADDED' | 'DELETED', namespace: string, name: string): void {
      const metadata = { namespace, name, uid: `${namespace}/${name}`, resourceVersion: String((version += 1)) };
      store.apply(packObjects(type, [{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]), 0);
    }

    it('omits a deleted object, and those of other namespaces that took its place', () => {
      change('ADDED', 'b', '0');
      const keys = store.keys('a');
      expect(keys.next().value).toEqual({ namespace: 'a', name: '0' });
      change('DELETED', 'a', '1');
      for (const name of ['1', '2', '3']) change('ADDED', 'c', name);
      expect([...keys].map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(['a/2', 'a/3']);
    });

    it('ends when the namespace is emptied, and its number is that of another one', () => {
      const keys = store.keys('a');
      keys.next();
      for (const name of ['0', '1', '2', '3']) change('DELETED', 'a', name);
      for (const name of ['0', '1', '2', '3']) change('ADDED', 'c', name);
      expect([...keys]).toEqual([]);
    });

    it.each([undefined, 'a'])('throws when the store is disposed (namespace %s)', (namespace) => {
      const keys = store.keys(namespace);
      keys.next();
      store.dispose();
      expect(() => keys.next()).toThrow('the informer has stopped');
      expect(() => store.keys(namespace)).toThrow('the informer has stopped');
      const key = { namespace: 'a', name: '0' };
      for (const read of [
        () => store.get(key),
        () => store.resourceVersionOf(key),
        () => store.isDeleting(key),
        () => store.events(),
      ]) {
        expect(read).toThrow('the informer has stopped');
      }
      expect([store.size, store.count(namespace)]).toEqual([0, 0]);
    });
  },
);
