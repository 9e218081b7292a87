// The index of the search, which the browser loads when the search is used for the first time.
import MiniSearch from 'minisearch';
import { searchOptions } from './assets/search-options.js';

/** Length of the text that a result shows, in characters. */
const EXCERPT = 120;

/**
 * Returns the index as JSON: an entry for each section of a document, and one for each page of the API reference.
 *
 * @param {readonly (import('./pages.mjs').Page & { sections: readonly import('./markdown.mjs').Section[] })[]} pages
 */
export function searchIndex(pages) {
  const index = new MiniSearch(searchOptions);
  for (const { kind, url, title, sections } of pages) {
    const entries = kind === 'api' ? [apiEntry(url, sections)] : sections;
    index.addAll(
      entries.map(({ id, heading, text }) => ({
        url: id === '' ? url : `${url}#${id}`,
        title,
        heading,
        text,
        excerpt: excerptOf(text),
      })),
    );
  }
  return JSON.stringify(index);
}

/** The symbol with its module and its description. Its members are not listed: they are on its page. */
function apiEntry(url, [{ text }]) {
  const [, module = ''] = /^api\/(@mcr\/.*?)\/(?:namespaces\/|[a-z-]+\/[^/]+$|index\.html$)/u.exec(url) ?? [];
  const [, description = ''] = /Defined in: \S+\s+(.*)$/su.exec(text) ?? [];
  return { id: '', heading: module, text: description };
}

function excerptOf(text) {
  const plain = text.replace(/\s+/gu, ' ').trim();
  return plain.length <= EXCERPT ? plain : `${plain.slice(0, EXCERPT).replace(/\s\S*$/u, '')} …`;
}
