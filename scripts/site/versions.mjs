// The root of the site: the list of versions, and the page that leads to the latest one.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { redirectHtml } from './template.mjs';

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-(.+))?$/u;

/**
 * Writes the root of a site from the versions that are in it.
 *
 * @param {string} site Absolute path.
 * @returns {string[]} the versions, latest first.
 */
export function writeRoot(site) {
  const versions = sortVersions(
    readdirSync(site).filter((name) => VERSION.test(name) && existsSync(join(site, name, 'index.html'))),
  );
  const latest = versions.find((version) => !version.includes('-')) ?? versions[0];
  writeFileSync(join(site, 'versions.json'), `${JSON.stringify(versions)}\n`);
  writeFileSync(join(site, 'index.html'), redirectHtml(`${latest}/index.html`));
  // GitHub Pages would leave out names that begin with an underscore.
  writeFileSync(join(site, '.nojekyll'), '');
  return versions;
}

/** Returns versions in the order of semver, latest first: a prerelease comes after its release. */
export function sortVersions(versions) {
  return versions.toSorted((a, b) => compare(VERSION.exec(b), VERSION.exec(a)));
}

function compare(a, b) {
  for (const part of [1, 2, 3]) if (a[part] !== b[part]) return a[part] - b[part];
  if (a[4] === undefined || b[4] === undefined) return Number(a[4] === undefined) - Number(b[4] === undefined);
  return a[4].localeCompare(b[4], 'en', { numeric: true });
}
