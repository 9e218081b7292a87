import type { Client, DeepReadonly, Draft, Kind, KubernetesObject, ObjectKey } from '@mcr/client';
import { mergePatchOf, replacesList } from './merge-patch.ts';
import type { Mutate, WriteOutcome } from './mutation.ts';
import { checkMutation, mutated } from './mutation.ts';
import type { ConflictOptions } from './retry-on-conflict.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

/**
 * As `createOrUpdate`, but writes only what `mutate` changed, by a merge patch, and leaves alone what others change at
 * the same time. A changed `status` is written to the subresource, after the rest. A list can only be replaced as a
 * whole: a patch that does so holds for the version that was read, and is tried again on a conflict.
 * (Upstream: `controllerutil.CreateOrPatch`.)
 *
 * @throws {TypeError} if an argument is missing or of the wrong type, or `mutate` changes the name or the namespace.
 * @throws {ApiError} when the server refuses, after several tries when `isConflict` holds for it.
 */
export async function createOrPatch<T extends KubernetesObject>(
  client: Pick<Client, 'find' | 'create' | 'patch' | 'status'>,
  kind: Kind<T>,
  key: ObjectKey,
  mutate: Mutate<T>,
  options: ConflictOptions = {},
): Promise<WriteOutcome<T>> {
  checkMutation('createOrPatch', client, kind, mutate);
  const call = options.signal ? { signal: options.signal } : {};

  return retryOnConflict<WriteOutcome<T>>(async () => {
    const current = await client.find(kind, key, call);
    const before = split(current ?? {});
    const after = split(await mutated(current, key, mutate));

    let written: T | undefined;
    if (!current) {
      // `mutate` has filled in what the kind requires; the server checks it.
      written = await client.create(kind, after.rest as DeepReadonly<Draft<T>>, call);
    } else {
      const patch = mergePatchOf(before.rest, after.rest);
      if (patch) written = await client.patch(kind, key, guarded(patch, current), 'merge', call);
    }

    const patch = mergePatchOf(before.status, after.status);
    if (patch) written = await client.status.patch(kind, key, guarded(patch, written ?? current), 'merge', call);

    if (!current) return { result: 'created', object: written as DeepReadonly<T> };
    return written
      ? { result: 'updated', object: written as DeepReadonly<T> }
      : { result: 'unchanged', object: current };
  }, options);
}

/** An object's status, as a part of an object, and all the rest of it. */
function split(object: object): { readonly status: object; readonly rest: object } {
  const { status, ...rest } = object as { readonly status?: unknown };
  return { status: { status }, rest };
}

/** Ties a patch that replaces a list to the version of the object that it was made of. */
function guarded(patch: object, object: DeepReadonly<KubernetesObject> | undefined): object {
  const resourceVersion = object?.metadata.resourceVersion;
  if (resourceVersion === undefined || !replacesList(patch)) return patch;
  const { metadata = {} } = patch as { readonly metadata?: object };
  return { ...patch, metadata: { ...metadata, resourceVersion } };
}
