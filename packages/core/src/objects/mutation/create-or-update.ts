import type { Client, DeepReadonly, Draft, Kind, KubernetesObject, ObjectKey } from '@mcr/client';
import { checkWholeKind } from '@mcr/client';
import { mergePatchOf } from './merge-patch.ts';
import type { Mutate, WriteOutcome } from './mutation.ts';
import { checkMutation, mutated } from './mutation.ts';
import type { ConflictOptions } from './retry-on-conflict.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

/**
 * Reads an object, changes a copy of it with `mutate`, and writes the copy if it differs. Creates the object if it does
 * not exist. On a conflict, it starts again with the read, after a delay in which a cache can catch up. It does not
 * write a `status` that is a subresource, see `createOrPatch`. (Upstream: `controllerutil.CreateOrUpdate`.)
 *
 * @example
 * const { result } = await createOrUpdate(client, ConfigMap, { namespace, name }, (configMap) => {
 *   configMap.data = { colour: 'blue' };
 *   setControllerReference(owner, configMap);
 * });
 * @throws {TypeError} if an argument is missing or of the wrong type, or `mutate` changes the name or the namespace.
 * @throws {ApiError} if the server refuses a request, after several attempts in case of a conflict.
 */
export async function createOrUpdate<T extends KubernetesObject>(
  client: Pick<Client, 'find' | 'create' | 'update'>,
  kind: Kind<T>,
  key: ObjectKey,
  mutate: Mutate<T>,
  options: ConflictOptions = {},
): Promise<WriteOutcome<T>> {
  checkMutation('createOrUpdate', client, kind, mutate);
  checkWholeKind(kind);
  const call = options.signal ? { signal: options.signal } : {};
  return retryOnConflict<WriteOutcome<T>>(async () => {
    const current = await client.find(kind, key, call);
    const object = await mutated(current, key, mutate);
    // `mutate` has set the fields that the kind requires. The server validates them.
    const draft = object as unknown as DeepReadonly<Draft<T>>;
    if (!current) return { result: 'created', object: readonly(await client.create(kind, draft, call)) };
    if (!mergePatchOf(current, object)) return { result: 'unchanged', object: current };
    return { result: 'updated', object: readonly(await client.update(kind, draft, call)) };
  }, options);
}

/** Returns the object as read-only, because the type checker cannot relate a type parameter to its read-only form. */
function readonly<T>(object: T): DeepReadonly<T> {
  return object as DeepReadonly<T>;
}
