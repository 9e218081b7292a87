import type {
  Client,
  CrdManifest,
  CustomResourceDefinition,
  DeepReadonly,
  Kind,
  KubernetesObject,
  Reader,
} from '@mcr/client';
import {
  CustomResourceDefinition as Crd,
  defineKind,
  draftOf,
  isConflict,
  isNotFound,
  keyOf,
  listPages,
  objectKeyText,
} from '@mcr/client';
import { isMissingObject } from '../objects/fleet-owner/served-kind.ts';
import { nameOf, storageVersionOf } from './definition-state.ts';

export interface MigrationOptions {
  readonly client: Pick<Client, 'update' | 'status'>;
  /** Reads from the API server. */
  readonly reader: Pick<Reader, 'list' | 'get'>;
  readonly signal: AbortSignal;
}

/** Number of times that an object is read again after a conflict. */
const MAX_CONFLICTS = 5;

/**
 * Stores every object of a CRD in its storage version again, and then removes the other versions from
 * `status.storedVersions`. Does nothing if there are none. (Upstream: `storage-version-migrator`.)
 *
 * @returns the number of objects.
 * @throws {Error} if a list fails, an object is not stored again, or the CRD has changed in the meantime. `storedVersions`
 * is unchanged then.
 */
export async function migrateStorage(
  wanted: DeepReadonly<CrdManifest>,
  found: DeepReadonly<CustomResourceDefinition>,
  { client, reader, signal }: MigrationOptions,
): Promise<number> {
  const storage = storageVersionOf(wanted);
  const stored = found.status?.storedVersions ?? [];
  if (storage === undefined || stored.every((version) => version === storage)) return 0;
  const { group, names, scope, versions } = wanted.spec;
  // API servers store every version in the storage version.
  const written =
    versions.find(({ name, served }) => served && name === storage) ?? versions.find(({ served }) => served);
  const kind = defineKind({
    apiVersion: `${group}/${written?.name ?? storage}`,
    kind: names.kind,
    plural: names.plural,
    scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced',
  });
  let count = 0;
  for await (const { items } of listPages(reader, kind, { signal })) {
    for (const item of items) {
      if (await storeAgain(kind, item, { client, reader, signal })) count += 1;
    }
  }
  const { resourceVersion } = found.metadata;
  const status = { metadata: { resourceVersion }, status: { storedVersions: [storage] } };
  await client.status.patch(Crd, { name: nameOf(wanted) }, status, 'merge', { signal });
  return count;
}

/**
 * Updates an object without a change, which stores it again. Admission may refuse the update with any status and reason. So
 * only a read proves that the object is gone, and only a successful update proves that it is stored again.
 *
 * @returns whether it was stored again. Otherwise, it is gone.
 */
async function storeAgain(
  kind: Kind<KubernetesObject>,
  item: DeepReadonly<KubernetesObject>,
  { client, reader, signal }: MigrationOptions,
): Promise<boolean> {
  let current: DeepReadonly<KubernetesObject> | undefined = item;
  for (let conflicts = 0; current; conflicts += 1) {
    try {
      await client.update(kind, draftOf(current), { signal });
      return true;
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      current = await currentOf(kind, item, { reader, signal });
      const isChanged = error.reason === 'Conflict' && conflicts < MAX_CONFLICTS;
      if (current && !isChanged) {
        const subject = `${kind.kind} ${objectKeyText(keyOf(item.metadata))}`;
        const remedy = 'allow updates of the object without a change';
        throw new Error(`${subject} is not stored again: ${error.message}: ${remedy}`, { cause: error });
      }
    }
  }
  return false;
}

/** Reads an object from the API server. Returns `undefined` if it is gone. */
async function currentOf(
  kind: Kind<KubernetesObject>,
  item: DeepReadonly<KubernetesObject>,
  { reader, signal }: Pick<MigrationOptions, 'reader' | 'signal'>,
): Promise<DeepReadonly<KubernetesObject> | undefined> {
  const key = keyOf(item.metadata);
  try {
    return await reader.get(kind, key, { signal });
  } catch (error) {
    if (isMissingObject(error, key)) return undefined;
    throw error;
  }
}
