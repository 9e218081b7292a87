import type { Client, DeepReadonly, Draft, Kind, KubernetesObject, ObjectKey } from '@mcr/client';
import { mergePatchOf } from './merge-patch.ts';
import type { Mutate, WriteOutcome } from './mutation.ts';
import { checkMutation, mutated } from './mutation.ts';
import type { ConflictOptions } from './retry-on-conflict.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

/**
 * Reads an object, lets `mutate` change a copy of it, and writes that copy when it differs. Creates the object when
 * there is none. A conflict is tried again from the read on; where the client reads from a cache, that is given some
 * time to catch up. A `status` that is a subresource is not written: `createOrPatch` does that.
 * (Upstream: `controllerutil.CreateOrUpdate`.)
 *
 * @example
 * const { result } = await createOrUpdate(client, ConfigMap, { namespace, name }, (configMap) => {
 *   configMap.data = { colour: 'blue' };
 *   setControllerReference(owner, configMap);
 * });
 * @throws {TypeError} if an argument is missing or of the wrong type, or `mutate` changes the name or the namespace.
 * @throws {ApiError} when the server refuses, after several tries when `isConflict` holds for it.
 */
export async function createOrUpdate<T extends KubernetesObject>(
  client: Pick<Client, 'find' | 'create' | 'update'>,
  kind: Kind<T>,
  key: ObjectKey,
  mutate: Mutate<T>,
  options: ConflictOptions = {},
): Promise<WriteOutcome<T>> {
  checkMutation('createOrUpdate', client, kind, mutate);
  const call = options.signal ? { signal: options.signal } : {};
  return retryOnConflict<WriteOutcome<T>>(async () => {
    const current = await client.find(kind, key, call);
    const object = await mutated(current, key, mutate);
    // `mutate` has filled in what the kind requires; the server checks it.
    const draft = object as unknown as DeepReadonly<Draft<T>>;
    if (!current) return { result: 'created', object: readonly(await client.create(kind, draft, call)) };
    if (!mergePatchOf(current, object)) return { result: 'unchanged', object: current };
    return { result: 'updated', object: readonly(await client.update(kind, draft, call)) };
  }, options);
}

/** Read-only for the type checker alone, which cannot relate a type parameter to its read-only form by itself. */
function readonly<T>(object: T): DeepReadonly<T> {
  return object as DeepReadonly<T>;
}
