import type { Manifest } from '@mcr/apiserver/manifests';
import type { ApiClient } from '@mcr/client';
import { defineKind, isAlreadyExists } from '@mcr/client';

/**
 * Creates an object, or updates the one that exists to what its manifest says.
 *
 * @throws {Error} that names the source of the manifest, if the API server refuses it.
 */
export async function ensureObject(client: ApiClient, { source, object }: Manifest): Promise<void> {
  const { apiVersion, kind: name, metadata } = object;
  const kind = defineKind({ apiVersion, kind: name });
  try {
    await client.create(kind, object).catch(async (error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
      const namespace = metadata['namespace'] as string | undefined;
      const present = await client.get(kind, { name: metadata.name, ...(namespace !== undefined && { namespace }) });
      const { resourceVersion } = present.metadata;
      await client.update(kind, { ...object, metadata: { ...metadata, resourceVersion } });
    });
  } catch (cause) {
    throw new Error(`${source}: ${(cause as Error).message}`, { cause });
  }
}
