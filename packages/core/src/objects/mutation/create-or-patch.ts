import type { Client, DeepReadonly, Draft, Kind, KubernetesObject, ObjectKey } from '@mcr/client';
import { mergePatchOf, replacesList } from './merge-patch.ts';
import type { Mutate, WriteOutcome } from './mutation.ts';
import { checkMutation, mutated } from './mutation.ts';
import type { ConflictOptions } from './retry-on-conflict.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

/**
 * Like `createOrUpdate`, but sends only the changes of `mutate`, as a merge patch, so that concurrent changes to other
 * fields are kept. A changed `status` is written to the subresource after the rest. A merge patch replaces lists as a
 * whole, so a patch with a list is conditional on the resource version that was read, and is retried on a conflict.
 * (Upstream: `controllerutil.CreateOrPatch`.)
 *
 * @throws {TypeError} if an argument is missing or of the wrong type, or `mutate` changes the name or the namespace.
 * @throws {ApiError} if the server refuses a request, after several attempts in case of a conflict.
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
      // `mutate` has set the fields that the kind requires. The server validates them.
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

/** Splits an object into its status and the rest. */
function split(object: object): { readonly status: object; readonly rest: object } {
  const { status, ...rest } = object as { readonly status?: unknown };
  return { status: { status }, rest };
}

/** Makes a patch that replaces a list conditional on the resource version of the object. */
function guarded(patch: object, object: DeepReadonly<KubernetesObject> | undefined): object {
  const resourceVersion = object?.metadata.resourceVersion;
  if (resourceVersion === undefined || !replacesList(patch)) return patch;
  const { metadata = {} } = patch as { readonly metadata?: object };
  return { ...patch, metadata: { ...metadata, resourceVersion } };
}
