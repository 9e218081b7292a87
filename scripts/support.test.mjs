import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from './published-packages.mjs';

const read = (path) => readFileSync(join(root, path), 'utf8');
const ci = read('.github/workflows/ci.yml');

/** Returns the row of a table whose first cell is `name`. */
function rowOf(document, name) {
  const row = read(document)
    .split('\n')
    .find((line) => line.startsWith(`| ${name} `));
  expect(row).toBeDefined();
  return row;
}

/** A tag at the start of a line of a doc comment, and its text up to the next tag. */
const DEPRECATION = /^\s*(?:\/\*)?\*+ +@deprecated\b((?:(?!\*\/|^\s*\* @)[^])*)/gmu;
const NOTICE = /^ since \d{4}-\d{2}-\d{2}: use \S/u;

/** Returns the texts of tags that do not say since when, and what to use instead. */
function unclearDeprecations(source) {
  return [...source.matchAll(DEPRECATION)].map(([, notice]) => notice).filter((notice) => !NOTICE.test(notice));
}

describe('the promises of docs/upgrades.md', () => {
  it('names the versions of Kubernetes that CI tests', () => {
    const kind = [...ci.matchAll(/kindest\/node:v(\d+\.\d+)\./gu)].map(([, version]) => version);
    const binaries = [...ci.matchAll(/setup-envtest@\S+ use (\d+\.\d+)\.x/gu)].map(([, version]) => version);
    const tested = [...new Set([...kind, ...binaries])].sort();
    expect(tested.length).toBeGreaterThan(1);
    for (const document of ['docs/upgrades.md', 'README.md'])
      expect([...new Set(rowOf(document, 'Kubernetes').match(/\b1\.\d+\b/gu))].sort()).toEqual(tested);
  });

  it('names the releases of Node.js that are tested, the oldest of each line in engines', () => {
    const { engines } = JSON.parse(read('packages/core/package.json'));
    const oldest = engines.node.split(' || ').map((range) => range.replace(/^\D+/u, ''));
    const [, list] = /NODE_RELEASES = \[(.*?)\]/u.exec(read('scripts/check-packages.mjs')) ?? [];
    const tested = [...(list ?? '').matchAll(/'(.*?)'/gu)].map(([, version]) => version);
    expect(tested.map((version, at) => version.startsWith(oldest[at]))).toEqual(oldest.map(() => true));
    const { devDependencies } = JSON.parse(read('package.json'));
    for (const version of [...tested, devDependencies.node]) {
      for (const document of ['docs/runtimes.md', 'README.md']) expect(rowOf(document, 'Node.js')).toContain(version);
    }
    const [, matrix] = /node: \[(.*?)\]/u.exec(ci) ?? [];
    for (const version of oldest) {
      expect(matrix?.split(', ')).toContain(version.split('.', 1)[0]);
      expect(rowOf('docs/upgrades.md', 'Node.js')).toContain(version.replace(/\.0$/u, ''));
    }
  });

  it('a deprecation says since when, and what to use instead', () => {
    const files = globSync('packages/*/src/**/*.ts', { cwd: root, exclude: ['**/golden/**'] });
    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap((file) => unclearDeprecations(read(file)))).toEqual([]);
  });

  it.each([
    ['/** @deprecated since 2027-01-31: use {@link other} */', 0],
    ['/**\n * Text.\n *\n * @deprecated since 2027-01-31: use {@link other}\n */', 0],
    ['/** @deprecated */', 1],
    ['/**\n * @deprecated Use other.\n * @see other\n */', 1],
    ['/** @deprecated since 2027-01-31 */', 1],
    ['// Tags such as `@deprecated` have a meaning.', 0],
  ])('recognises an unclear deprecation: %j', (source, count) => {
    expect(unclearDeprecations(source)).toHaveLength(count);
  });
});
