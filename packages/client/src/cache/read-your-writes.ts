import type { Client } from '../client/client.ts';
import { delegatingClient } from '../client/delegating-client.ts';
import type { Kind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import type { Cache } from './cache.ts';

/**
 * Returns a client whose writes are visible to later reads of `cache`: such a read waits, usually for a few
 * milliseconds, until the cache has received the write. Writes of other clients become visible when they arrive, and so
 * do the effects of `deleteCollection` and of creating a subresource such as `eviction`. Dry runs are recognized by
 * their option: wrap this client with `dryRunClient`, not the other way round.
 *
 * @example
 * const client = readYourWrites(cachedClient(apiClient, cache), cache);
 */
export function readYourWrites(client: Client, cache: Cache): Client {
  /** Expects a write. The response of a subresource has the version of the object. */
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
    packed: client.packed,
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
