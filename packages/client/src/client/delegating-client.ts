import type { Client } from './client.ts';

/**
 * Returns a client that passes every call on to `client`. Wrappers override some of its methods. It has no `packed`
 * reader, so caches use the wrapper's `list` and `watch`; a wrapper that changes neither can pass on that of `client`.
 */
export function delegatingClient(client: Client): Client {
  return {
    get: (kind, key, options) => client.get(kind, key, options),
    find: (kind, key, options) => client.find(kind, key, options),
    list: (kind, options) => client.list(kind, options),
    table: (kind, options) => client.table(kind, options),
    create: (kind, object, options) => client.create(kind, object, options),
    update: (kind, object, options) => client.update(kind, object, options),
    patch: (kind, key, patch, type, options) => client.patch(kind, key, patch, type, options),
    apply: (kind, configuration, options) => client.apply(kind, configuration, options),
    delete: (kind, key, options) => client.delete(kind, key, options),
    deleteCollection: (kind, options) => client.deleteCollection(kind, options),
    status: client.status,
    subresource: (name, body) => client.subresource(name, body),
    watch: (kind, options) => client.watch(kind, options),
    onCredentials: (listener) => client.onCredentials(listener),
  };
}
