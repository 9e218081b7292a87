// The packages of this repository that are published.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

/**
 * @typedef {object} PublishedPackage
 * @property {string} name
 * @property {string} version
 * @property {string} directory Absolute path.
 * @property {string} tarball File name that `pnpm pack` gives it.
 * @property {Record<string, any>} manifest
 */

/** @returns {PublishedPackage[]} each after the packages that it depends on. */
export function publishedPackages() {
  const packages = readdirSync(join(root, 'packages'))
    .map((entry) => {
      const directory = join(root, 'packages', entry);
      const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
      const { name, version } = manifest;
      return {
        name,
        version,
        directory,
        manifest,
        tarball: `${name.replace('@', '').replace('/', '-')}-${version}.tgz`,
      };
    })
    .filter(({ manifest }) => manifest.private !== true);
  return inDependencyOrder(packages);
}

function inDependencyOrder(packages) {
  const waiting = new Map(packages.map((entry) => [entry.name, entry]));
  const ordered = [];
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(({ manifest }) =>
      Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).every((name) => !waiting.has(name)),
    );
    if (ready.length === 0) throw new Error(`packages depend on one another: ${[...waiting.keys()].join(', ')}`);
    for (const entry of ready) waiting.delete(entry.name);
    ordered.push(...ready);
  }
  return ordered;
}
