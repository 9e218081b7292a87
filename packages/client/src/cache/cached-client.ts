import type { Client } from '../client/client.ts';
import { delegatingClient } from '../client/delegating-client.ts';
import type { Kind } from '../kinds/kind.ts';
import { kindText, partialMetadata } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { Cache } from './cache.ts';

/** Options of {@link cachedClient}. */
export interface CachedClientOptions {
  /**
   * Kinds that are read from the API server, as whole objects and as metadata, so that reads do not cache them. A watch
   * of such a kind still uses an informer. Default: none. (Upstream: controller-runtime's
   * `client.CacheOptions.DisableFor`.)
   */
  readonly uncached?: readonly Kind<KubernetesObject>[];
}

/**
 * Returns a client that reads from `cache`, and writes and watches with `client`. Reads may not include the latest
 * writes; see {@link readYourWrites}. (Upstream: controller-runtime's `client.Options.Cache.Reader`.)
 */
export function cachedClient(client: Client, cache: Cache, { uncached = [] }: CachedClientOptions = {}): Client {
  const bypassing = new Set(uncached.map(nameOf));
  const readerOf = (kind: Kind<KubernetesObject>) => (bypassing.has(nameOf(kind)) ? client : cache);
  return {
    ...delegatingClient(client),
    get: (kind, key, options) => readerOf(kind).get(kind, key, options),
    find: (kind, key, options) => readerOf(kind).find(kind, key, options),
    list: (kind, options) => readerOf(kind).list(kind, options),
  };
}

/** Returns the same name for whole objects and for metadata. */
function nameOf(kind: Kind<KubernetesObject>): string {
  return kindText(partialMetadata(kind));
}
