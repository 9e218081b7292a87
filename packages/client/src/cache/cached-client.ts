import * as z from 'zod';
import type { Client } from '../client/client.ts';
import { delegatingClient } from '../client/delegating-client.ts';
import { kindSchema } from '../kinds/check-kind.ts';
import type { Kind } from '../kinds/kind.ts';
import { kindText, partialMetadata } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { parseOptions } from '../options/parse-options.ts';
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

const schema = z.strictObject({
  uncached: z.array(kindSchema).optional(),
} satisfies Record<keyof CachedClientOptions, z.ZodType>);

/**
 * Returns a client that reads from `cache`, and writes and watches with `client`. Reads may not include the latest
 * writes; see {@link readYourWrites}. (Upstream: controller-runtime's `client.Options.Cache.Reader`.)
 *
 * @throws {TypeError} that names the option, if one is unknown or wrong.
 */
export function cachedClient(client: Client, cache: Cache, options: CachedClientOptions = {}): Client {
  parseOptions('cachedClient', schema, options, '{ uncached: [Secret] }');
  const { uncached = [] } = options;
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
