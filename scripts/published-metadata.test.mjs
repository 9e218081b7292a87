import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { publishedPackages, root } from './published-packages.mjs';

const REPOSITORY = 'https://github.com/mcr-dev/mcr';
const NODE_RELEASES = '^22.22.2 || ^24.15.0 || >=26';

const packages = publishedPackages().map((entry) => ({ ...entry, path: entry.directory.slice(root.length + 1) }));
const links = packages.flatMap(({ path }) =>
  [...readFileSync(join(root, path, 'README.md'), 'utf8').matchAll(/\]\(([^)\s]+)\)/gu)].map(([, link]) => ({
    readme: `${path}/README.md`,
    link,
  })),
);
const ownLinks = links.filter(({ link }) => link.startsWith(REPOSITORY));

describe('the metadata that npm shows for a package', () => {
  it.each(packages)('$name: repository, homepage, bugs, keywords and engines', ({ path, manifest }) => {
    expect(manifest).toMatchObject({
      license: 'Apache-2.0',
      description: expect.any(String),
      homepage: `${REPOSITORY}/tree/main/${path}#readme`,
      bugs: `${REPOSITORY}/issues`,
      repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: path },
      engines: { node: NODE_RELEASES },
      publishConfig: { access: 'public' },
    });
    expect(manifest.keywords).toEqual(expect.arrayContaining(['kubernetes']));
  });

  // pnpm adds the LICENSE of the workspace only to packages that have no file with "license" in its name.
  it.each(packages)('$name: has the license of the project', ({ path }) => {
    const license = readFileSync(join(root, 'LICENSE'), 'utf8');
    expect(readFileSync(join(root, path, 'LICENSE'), 'utf8')).toBe(license);
  });

  it('links in READMEs are absolute, because npm does not resolve others', () => {
    expect(links.filter(({ link }) => !/^(https:|#)/u.test(link))).toEqual([]);
  });

  it.each(ownLinks)('$readme: $link exists', ({ link }) => {
    const { pathname, hash } = new URL(link);
    const [, kind, path] = /^\/mcr-dev\/mcr\/(blob|tree)\/main\/(.+)$/u.exec(pathname) ?? [];
    expect(['blob', 'tree']).toContain(kind);
    expect(existsSync(join(root, path))).toBe(true);
    if (hash) expect(anchorsOf(readFileSync(join(root, path), 'utf8'))).toContain(hash.slice(1));
  });
});

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(markdown) {
  return [...markdown.matchAll(/^#+ (.*)$/gmu)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
