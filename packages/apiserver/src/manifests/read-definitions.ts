import { resolve } from 'node:path';
import type { Manifest } from './manifest-files.ts';
import { readManifests } from './manifest-files.ts';

const KINDS = ['CustomResourceDefinition'];

/**
 * Reads CustomResourceDefinitions. Objects of other kinds are skipped, because directories of manifests often have both. A
 * file that several paths name, such as its own path and that of its directory, counts once.
 *
 * @throws {Error} that names the path, if it has no definition, or two definitions have the same name.
 */
export async function readDefinitions(paths: readonly string[]): Promise<Manifest[]> {
  const definitions = new Map<string, Manifest>();
  for (const path of paths) {
    const found = (await readManifests([path], 'crdPaths', KINDS)).filter(isDefinition);
    if (found.length === 0) {
      throw new Error(
        `crdPaths: ${path}: no CustomResourceDefinition found; subdirectories are not read: pass the directory of the files`,
      );
    }
    for (const definition of found) {
      const { name } = definition.object.metadata;
      const other = definitions.get(name);
      if (other && isSame(other, definition)) continue;
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

/** Whether two definitions are the same document of the same file. */
function isSame(one: Manifest, other: Manifest): boolean {
  // A source is a path, and possibly the number of a document, which the normalization of a path keeps.
  return resolve(one.source) === resolve(other.source);
}

/** @throws {Error} for a version that no supported release of Kubernetes serves. */
function isDefinition({ source, object: { apiVersion } }: Manifest): boolean {
  if (apiVersion === 'apiextensions.k8s.io/v1beta1') {
    throw new Error(
      `crdPaths: ${source}: ${apiVersion} is not served since Kubernetes v1.22: use apiextensions.k8s.io/v1`,
    );
  }
  return apiVersion.startsWith('apiextensions.k8s.io/');
}
