import type { Client } from '../client/client.ts';
import { delegatingClient } from '../client/delegating-client.ts';
import type { Cache } from './cache.ts';

/**
 * A client that reads from `cache`, and writes and watches with `client`. What was just written is not yet in the
 * cache. (Upstream: controller-runtime's `client.Options.Cache.Reader`.)
 */
export function cachedClient(client: Client, cache: Cache): Client {
  return {
    ...delegatingClient(client),
    get: (kind, key, options) => cache.get(kind, key, options),
    find: (kind, key, options) => cache.find(kind, key, options),
    list: (kind, options) => cache.list(kind, options),
  };
}
