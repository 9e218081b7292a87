// Reads the sources of the documentation site: documents, READMEs of packages, and the API reference.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { publishedPackages, root } from '../published-packages.mjs';
import { CONTENTS } from './contents.mjs';

/**
 * @typedef {object} Page
 * @property {string} source Path in the repository. Pages without a file have the path that links to them would have.
 * @property {string} url Path below the version of the site.
 * @property {string} title Text of the first heading.
 * @property {string} text Markdown.
 * @property {string} topic Heading of the page in the sidebar; empty for pages that an index lists.
 * @property {'document' | 'api'} kind
 */

/**
 * Returns the pages of the site: those of the sidebar first, in its order.
 *
 * @param {ReadonlyMap<string, string>} reference Markdown of the API reference by path, such as `api/core/README.md`.
 * @returns {Page[]}
 */
export function pagesOf(reference) {
  const listed = CONTENTS.flatMap(({ topic, sources }) =>
    sources.map((source) => page(source, topic, textOf(source, reference))),
  );
  const known = new Set(listed.map(({ source }) => source));
  return [
    ...listed,
    ...published().map(({ folder }) => page(`packages/${folder}/README.md`, '')),
    ...decisions().map((source) => page(source, '')),
    ...[...reference].filter(([source]) => !known.has(source)).map(([source, text]) => page(source, '', text)),
  ];
}

function page(source, topic, text = read(source)) {
  const title = source === 'README.md' ? 'Overview' : plain(headingOf(text) ?? source);
  return { source, url: urlOf(source), title, text, topic, kind: source.startsWith('api/') ? 'api' : 'document' };
}

/** `docs/manager.md` is `manager.html`, and the README of a folder is its index. */
function urlOf(source) {
  return source
    .replace(/^docs\//u, '')
    .replace(/README\.md$/u, 'index.md')
    .replace(/^SECURITY\.md$/u, 'security-policy.md')
    .replace(/\.md$/u, '.html');
}

function textOf(source, reference) {
  if (source === 'packages/README.md') return packagesIndex();
  if (source === 'docs/decisions/README.md') return decisionsIndex();
  return reference.get(source) ?? read(source);
}

function packagesIndex() {
  const links = published().map(({ name, folder, about }) => `- [${name}](${folder}/README.md): ${about}`);
  return ['# Packages', ...links].join('\n');
}

function decisionsIndex() {
  const links = decisions().map((source) => `- [${headingOf(read(source))}](${basename(source)})`);
  return ['# Decisions', ...links].join('\n');
}

function headingOf(text) {
  return /^# +(.*?) *$/mu.exec(text)?.[1];
}

function published() {
  return publishedPackages()
    .map(({ name, directory, manifest }) => ({ name, folder: basename(directory), about: manifest.description }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function decisions() {
  return globSync('docs/decisions/*.md', { cwd: root }).sort();
}

function read(source) {
  return readFileSync(join(root, source), 'utf8');
}

/** Removes the marks of Markdown from a heading. */
function plain(heading) {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .replace(/\\([\\`*_{}[\]<>()#+.!|-])/gu, '$1')
    .replaceAll('`', '');
}
