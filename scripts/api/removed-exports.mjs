import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Time for which a release has marked an export as deprecated before it may be removed, in milliseconds. */
const NOTICE = 90 * 24 * 60 * 60 * 1_000;

/**
 * Finds exports that the latest release of a package has, the work tree has not, and no release of at least 90 days ago
 * marks as deprecated. A package without a release has none.
 *
 * @param {string} repository Directory of a clone with all tags.
 * @param {{ name: string, path: string }} entry `path` is the directory of the package in the repository.
 * @param {number} now Milliseconds since 1970.
 * @returns {string[]} such as `index: defineShop`.
 */
export function removedExports(repository, { name, path }, now) {
  const releases = releasesOf(repository, name);
  const [latest] = releases;
  if (latest === undefined) return [];
  const folder = join(repository, path, 'api');
  const present = exportsOf(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
  const noticed = releases.find(({ time }) => now - time >= NOTICE);
  const marked = noticed ? reportsAt(repository, noticed.tag, path) : new Map();
  return [...reportsAt(repository, latest.tag, path).keys()].filter(
    (each) => !present.has(each) && marked.get(each) !== 'deprecated',
  );
}

/** Returns the tags that lerna gave the releases of a package on this branch, latest first. */
function releasesOf(repository, name) {
  const format = '--format=%(creatordate:unix) %(refname:strip=2)';
  return git(repository, 'for-each-ref', '--merged=HEAD', '--sort=-creatordate', format, `refs/tags/${name}@*`)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ time: Number(line.split(' ', 1)[0]) * 1_000, tag: line.slice(line.indexOf(' ') + 1) }));
}

function reportsAt(repository, tag, path) {
  const files = git(repository, 'ls-tree', '--name-only', tag, `${path}/api/`).split('\n');
  return exportsOf(
    files
      .filter((file) => file !== '')
      .map((file) => [file.slice(`${path}/api/`.length), git(repository, 'show', `${tag}:${file}`)]),
  );
}

/** Returns the exports in API reports, each with `deprecated` if its report marks it so. */
function exportsOf(reports) {
  const found = new Map();
  for (const [file, report] of reports) {
    const pattern =
      /^(\/\/ .*@deprecated.*\n)?export (?:(?:declare |abstract )*(?:class|const|enum|function|interface|namespace|type|let|var) (\w+)|\{ (?:\w+ as )?(\w+) \})/gmu;
    for (const [, mark, declared, named] of report.matchAll(pattern)) {
      found.set(`${file.replace('.api.md', '')}: ${declared ?? named}`, mark === undefined ? 'current' : 'deprecated');
    }
  }
  return found;
}

function git(cwd, ...args) {
  const { status, stdout, stderr, error } = spawnSync('git', args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  });
  if (status !== 0) throw new Error(`git ${args[0]}: ${error?.message ?? stderr.trim()}`);
  return stdout;
}
