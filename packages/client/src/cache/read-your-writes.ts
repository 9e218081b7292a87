import type { Client } from '../client/client.ts';
import { delegatingClient } from '../client/delegating-client.ts';
import type { Kind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { Cache } from './cache.ts';

/**
 * A client whose writes are seen by what is read of `cache` after them: such a read waits, usually for a few
 * milliseconds, until the cache has been told of the write. What others write is seen when it comes, and so is what
 * `deleteCollection`, or the creation of a subresource such as `eviction`, does. A dry run is known by its option:
 * wrap this client with `dryRunClient`, not the other way round.
 *
 * @example
 * const client = readYourWrites(cachedClient(apiClient, cache), cache);
 */
export function readYourWrites(client: Client, cache: Cache): Client {
  /** A subresource's body has the version that the object has with it. */
  const seen = async <T extends KubernetesObject>(
    kind: Kind<KubernetesObject>,
    written: Promise<T>,
    { dryRun = false }: { readonly dryRun?: boolean } = {},
  ): Promise<T> => {
    const object = await written;
    if (!dryRun) cache.expectWrite(kind, object);
    return object;
  };
  return {
    ...delegatingClient(client),
    create: (kind, object, options) => seen(kind, client.create(kind, object, options), options),
    update: (kind, object, options) => seen(kind, client.update(kind, object, options), options),
    patch: (kind, key, patch, type, options) => seen(kind, client.patch(kind, key, patch, type, options), options),
    apply: (kind, object, options) => seen(kind, client.apply(kind, object, options), options),
    async delete(kind, key, options) {
      await client.delete(kind, key, options);
      if (!options?.dryRun) cache.expectDeletion(kind, key);
    },
    status: {
      update: (kind, object, options) => seen(kind, client.status.update(kind, object, options), options),
      patch: (kind, key, patch, type, options) =>
        seen(kind, client.status.patch(kind, key, patch, type, options), options),
      apply: (kind, object, options) => seen(kind, client.status.apply(kind, object, options), options),
    },
    subresource(name, body) {
      const inner = client.subresource(name, body);
      return {
        ...inner,
        update: (kind, key, object, options) => seen(kind, inner.update(kind, key, object, options), options),
        patch: (kind, key, patch, type, options) => seen(kind, inner.patch(kind, key, patch, type, options), options),
        apply: (kind, key, object, options) => seen(kind, inner.apply(kind, key, object, options), options),
      };
    },
  };
}
