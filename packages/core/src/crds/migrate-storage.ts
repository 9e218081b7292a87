import type { Client, CrdManifest, CustomResourceDefinition, DeepReadonly, Reader } from '@mcr/client';
import { CustomResourceDefinition as Crd, defineKind, draftOf, isConflict, isNotFound, listPages } from '@mcr/client';
import { nameOf, storageVersionOf } from './definition-state.ts';

export interface MigrationOptions {
  readonly client: Pick<Client, 'update' | 'status'>;
  /** Reads from the API server. */
  readonly reader: Pick<Reader, 'list'>;
  readonly signal: AbortSignal;
}

/**
 * Stores every object of a CRD in its storage version again, and then removes the other versions from
 * `status.storedVersions`. Does nothing if there are none. (Upstream: `storage-version-migrator`.)
 *
 * @returns the number of objects.
 * @throws the error of a list or an update. Objects that were changed or deleted in the meantime need no update.
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
      try {
        await client.update(kind, draftOf(item), { signal });
        count += 1;
      } catch (error) {
        // A concurrent change has stored it in the new version.
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
  }
  const { resourceVersion } = found.metadata;
  const status = { metadata: { resourceVersion }, status: { storedVersions: [storage] } };
  await client.status.patch(Crd, { name: nameOf(wanted) }, status, 'merge', { signal });
  return count;
}
