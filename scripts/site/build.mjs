// Writes one version of the documentation site.
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { buildSync } from 'esbuild';
import { publishedPackages, root } from '../published-packages.mjs';
import { apiReference } from './api-reference.mjs';
import { checkContents, CONTENTS } from './contents.mjs';
import { fileUrl, linkResolver } from './links.mjs';
import { render } from './markdown.mjs';
import { pagesOf } from './pages.mjs';
import { searchIndex } from './search-index.mjs';
import { pageHtml } from './template.mjs';

const ASSETS = join(import.meta.dirname, 'assets');

/** Version of the site: that of `@mcr/core`, because packages have versions of their own. */
export const version = publishedPackages().find(({ name }) => name === '@mcr/core').version;

/**
 * Writes all pages into a folder, which is emptied first.
 *
 * @param {string} folder Absolute path.
 * @returns {Promise<number>} number of pages.
 */
export async function buildVersion(folder) {
  checkContents(globSync('docs/*.md', { cwd: root }));
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  const pages = pagesOf(await apiReference(fileUrl(commit)));
  const images = new Set();
  const resolverOf = linkResolver(new Map(pages.map(({ source, url }) => [source, url])), commit, images);
  const rendered = pages.map((page) => ({ ...page, ...render(page.text, resolverOf(page)) }));
  const listed = pages.filter(({ topic }) => topic !== '');
  const sidebar = CONTENTS.map(({ topic }) => ({ topic, links: listed.filter((page) => page.topic === topic) }));

  rmSync(folder, { recursive: true, force: true });
  for (const page of rendered) {
    const place = listed.findIndex(({ url }) => url === page.url);
    const html = pageHtml({
      ...page,
      base: `${relative(dirname(page.url), '.') || '.'}/`,
      version,
      sidebar,
      previous: listed[place - 1],
      next: place === -1 ? undefined : listed[place + 1],
    });
    write(join(folder, page.url), html);
  }
  for (const image of images) copy(join(root, image), join(folder, 'assets', image));
  for (const asset of ['site.css', 'theme.js', 'icon.svg']) copy(join(ASSETS, asset), join(folder, 'assets', asset));
  write(join(folder, 'assets', 'site.js'), script('site.js'));
  write(join(folder, 'assets', 'search.json'), searchIndex(rendered));
  return rendered.length;
}

/** Bundles a script with the library of the search. */
function script(name) {
  const { outputFiles } = buildSync({
    entryPoints: [join(ASSETS, name)],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0].text;
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function copy(from, to) {
  write(to, readFileSync(from));
}
