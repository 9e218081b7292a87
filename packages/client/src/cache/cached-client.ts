import type { Client } from '../client/client.ts';
import type { Cache } from './cache.ts';

/**
 * A client that reads from `cache`, and writes and watches with `client`. What was just written is not yet in the
 * cache. (Upstream: controller-runtime's `client.Options.Cache.Reader`.)
 */
export function cachedClient(client: Client, cache: Cache): Client {
  return {
    get: (kind, key, options) => cache.get(kind, key, options),
    find: (kind, key, options) => cache.find(kind, key, options),
    list: (kind, options) => cache.list(kind, options),
    create: (kind, object, options) => client.create(kind, object, options),
    update: (kind, object, options) => client.update(kind, object, options),
    patch: (kind, key, patch, type, options) => client.patch(kind, key, patch, type, options),
    delete: (kind, key, options) => client.delete(kind, key, options),
    status: client.status,
    watch: (kind, options) => client.watch(kind, options),
    watchBatches: (kind, options) => client.watchBatches(kind, options),
  };
}
