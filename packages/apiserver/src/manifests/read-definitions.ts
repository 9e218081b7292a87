import type { Manifest } from './manifest-files.ts';
import { readManifests } from './manifest-files.ts';

const KINDS = ['CustomResourceDefinition'];

/**
 * Reads CustomResourceDefinitions. Objects of other kinds are skipped, because directories of manifests often have both.
 *
 * @throws {Error} that names the path, if it has no definition, or two definitions have the same name.
 */
export async function readDefinitions(paths: readonly string[]): Promise<Manifest[]> {
  const definitions = new Map<string, Manifest>();
  for (const path of paths) {
    const found = (await readManifests([path], 'crdPaths', KINDS)).filter(isDefinition);
    if (found.length === 0) throw new Error(`crdPaths: ${path}: no CustomResourceDefinition found`);
    for (const definition of found) {
      const { name } = definition.object.metadata;
      const other = definitions.get(name);
      if (other) {
        throw new Error(
          `crdPaths: ${definition.source}: CustomResourceDefinition ${name} is also in ${other.source}: remove one`,
        );
      }
      definitions.set(name, definition);
    }
  }
  return [...definitions.values()];
}

function isDefinition({ object }: Manifest): boolean {
  return object.apiVersion.startsWith('apiextensions.k8s.io/');
}
