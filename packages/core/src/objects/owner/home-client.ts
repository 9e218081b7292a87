import type { CallOptions, Client, KubernetesObject, ObjectKey, ObjectMeta, Reader } from '@mcr/client';
import { delegatingClient, objectKeyText } from '@mcr/client';
import { foreignOwnerError } from './foreign-owner-error.ts';
import type { Home, Owner } from './home.ts';
import { foreignHomeOf, ownerOf, settle } from './home.ts';

/**
 * Returns a client that records the home of returned objects, and refuses to write an object whose owner is in another
 * cluster, because the garbage collector would delete the object.
 *
 * @param reader reads owners from the API server to confirm that they are in this cluster. Default: the client.
 */
export function homeClient(client: Client, home: Home, reader: Reader = client): Client {
  const at = <T extends object>(object: T): T => settle(object, home);
  const checked = (written: unknown, key: ObjectKey | undefined, options: CallOptions = {}) =>
    refuseForeignOwners({ reader, home, written, key, options });
  return {
    ...delegatingClient(client),
    ...homeReader(client, home),
    async *watch(kind, options) {
      for await (const event of client.watch(kind, options)) {
        at(event.object);
        yield event;
      }
    },
    async create(kind, object, options) {
      await checked(object, undefined, options);
      return at(await client.create(kind, object, options));
    },
    async update(kind, object, options) {
      await checked(object, undefined, options);
      return at(await client.update(kind, object, options));
    },
    async patch(kind, key, patch, type, options) {
      await checked(patch, key, options);
      return at(await client.patch(kind, key, patch, type, options));
    },
    async apply(kind, configuration, options) {
      await checked(configuration, undefined, options);
      return at(await client.apply(kind, configuration, options));
    },
  };
}

/** Returns a reader that records the home of returned objects. */
export function homeReader(reader: Reader, home: Home): Reader {
  const at = <T extends object>(object: T): T => settle(object, home);
  return {
    get: async (kind, key, options) => at(await reader.get(kind, key, options)),
    async find(kind, key, options) {
      const object = await reader.find(kind, key, options);
      return object && at(object);
    },
    async list(kind, options) {
      const list = await reader.list(kind, options);
      for (const item of list.items) at(item);
      return list;
    },
  };
}

interface Write {
  readonly reader: Reader;
  readonly home: Home;
  /** An object, a draft, a configuration or a patch. */
  readonly written: unknown;
  /** Key of the object to patch. Default: the key of `written`. */
  readonly key: ObjectKey | undefined;
  readonly options: CallOptions;
}

/** @throws {InvalidOwnerError} if an owner was read from another cluster and does not exist in this one. */
async function refuseForeignOwners({ reader, home, written, key, options }: Write): Promise<void> {
  const { metadata } = Object(written) as { readonly metadata?: Partial<ObjectMeta> | null };
  const references: unknown = metadata?.ownerReferences;
  if (!metadata || !Array.isArray(references)) return;
  for (const reference of references as readonly unknown[]) {
    const owner = typeof reference === 'object' && reference !== null ? ownerOf(reference) : undefined;
    const other = owner && foreignHomeOf(owner, home);
    if (owner && other && !(await exists(reader, owner, options))) {
      throw foreignOwnerError(owner, other, textOf(key ?? metadata), home);
    }
  }
}

/** Whether the owner exists in the cluster of `reader`. Compares UIDs, because one cluster may have two URLs. */
async function exists(reader: Reader, owner: Owner, { signal, timeout }: CallOptions): Promise<boolean> {
  const { apiVersion, kind, metadata } = owner;
  const { namespace, name, uid } = metadata;
  try {
    const call = { ...(signal && { signal }), ...(timeout !== undefined && { timeout }) };
    const found = await reader.find<KubernetesObject>(
      { apiVersion, kind },
      { ...(namespace && { namespace }), name },
      call,
    );
    return found?.metadata.uid === uid;
  } catch {
    // The owner cannot be confirmed in this cluster.
    return false;
  }
}

function textOf({ namespace = '', name = 'the object' }: Partial<ObjectKey>): string {
  return objectKeyText({ namespace, name });
}
