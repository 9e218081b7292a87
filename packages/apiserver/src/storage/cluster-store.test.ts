import { describe, expect, it } from '@jest/globals';
import { ClusterStore } from './cluster-store.ts';
import type { DeferredObjects } from './deferred-objects.ts';
import type { StoredObject } from './stored-object.ts';
import { storeObject } from './stored-object.ts';

function stored(resource: string, name: string, version: number): StoredObject {
  const metadata = { name, uid: `${resource}-${name}`, resourceVersion: String(version), creationTimestamp: '' };
  return storeObject(resource, { apiVersion: 'v1', kind: 'Thing', metadata });
}

function deferred(): { readonly objects: DeferredObjects; readonly created: string[] } {
  const created: string[] = [];
  const objects: DeferredObjects = {
    resources: ['roles', 'namespaces'],
    version: 4,
    objectsOf(resource) {
      created.push(resource);
      if (resource === 'roles') return [stored('roles', 'a', 2), stored('roles', 'b', 4)];
      return resource === 'namespaces' ? [stored('namespaces', 'default', 3)] : [];
    },
  };
  return { objects, created };
}

describe('deferred objects of a store', () => {
  it('K-28: objects of a resource are created when the resource is first used', () => {
    const store = new ClusterStore(10);
    store.resource('namespaces');
    const { objects, created } = deferred();
    store.defer(objects);
    expect(store.version).toBe(4);
    expect(created).toEqual(['namespaces']);
    expect(
      store
        .resource('roles')
        .list('')
        .map(({ name }) => name),
    ).toEqual(['a', 'b']);
    expect(store.byUid('roles-a')).toBe(store.resource('roles').get('a'));
    store.resource('roles');
    expect(created).toEqual(['namespaces', 'roles']);
  });

  it('K-28: a write follows the deferred objects of its resource', () => {
    const store = new ClusterStore(10);
    store.defer(deferred().objects);
    store.write((version) => ({ type: 'ADDED', object: stored('roles', 'c', version), previous: undefined }));
    const roles = store.resource('roles');
    expect(roles.list('').map(({ version }) => version)).toEqual([2, 4, 5]);
    expect(roles.listAt(4, '').map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('K-28: a compaction and an inspection of all resources create the rest', () => {
    const one = new ClusterStore(10);
    one.defer(deferred().objects);
    expect([...one.resourceIds()]).toEqual(['roles', 'namespaces']);
    const other = new ClusterStore(10);
    other.defer(deferred().objects);
    other.compact();
    expect(other.resource('roles').log.compactedVersion).toBe(4);
    expect(other.resource('roles').list('')).toHaveLength(2);
  });

  it('K-28: a store with objects refuses more first ones', () => {
    const store = new ClusterStore(10);
    store.defer(deferred().objects);
    store.resource('roles');
    expect(() => store.defer(deferred().objects)).toThrow('only an empty store can have deferred objects');
  });
});
