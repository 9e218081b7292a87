// Addresses of links in the sources: pages of the site, files of the repository, other sites.
import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from '../published-packages.mjs';

const REPOSITORY = 'https://github.com/mcr-dev/mcr';
/** READMEs of packages link to documents and images in this way, because npm shows them too. */
const OWN_FILE =
  /^https:\/\/(?:github\.com\/mcr-dev\/mcr\/(?:blob|tree)|raw\.githubusercontent\.com\/mcr-dev\/mcr)\/main\//u;
const IMAGE = /\.(?:svg|png|jpe?g)$/u;

/**
 * Returns a function that resolves the links of a page. Images are added to `images`, by their path in the repository.
 *
 * @param {ReadonlyMap<string, string>} urls Addresses of pages by source.
 * @param {string} commit Version of the files that are not pages.
 * @param {Set<string>} images
 */
export function linkResolver(urls, commit, images) {
  return ({ source, url }) => {
    const from = (target) => relative(dirname(url), target) || '.';
    return (href) => {
      if (OWN_FILE.test(href)) return resolvePath(href.replace(OWN_FILE, ''));
      if (/^[a-z][a-z+.-]*:/iu.test(href) || href.startsWith('#')) return href;
      const [path, anchor] = href.split('#');
      return resolvePath(join(dirname(source), decodeURI(path)) + (anchor === undefined ? '' : `#${anchor}`));
    };

    function resolvePath(target) {
      const [path, anchor] = target.split('#');
      const file = path.replace(/\/$/u, '');
      const hash = anchor === undefined ? '' : `#${anchor}`;
      const page = urls.get(file) ?? urls.get(join(file, 'README.md'));
      if (page !== undefined) return encodeURI(from(page)) + hash;
      // The check of dead links names it.
      if (!existsSync(join(root, file))) return file + hash;
      if (IMAGE.test(file)) {
        images.add(file);
        return from(join('assets', file));
      }
      return `${fileUrl(commit, statSync(join(root, file)).isDirectory() ? 'tree' : 'blob')}/${file}${hash}`;
    }
  };
}

/** Returns the address of the root of the sources. */
export function fileUrl(commit, type = 'blob') {
  return `${REPOSITORY}/${type}/${commit}`;
}
