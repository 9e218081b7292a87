// Finds links and anchors of a built site that lead nowhere, and requests to other hosts.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * Returns the problems of the pages below a folder.
 *
 * @param {string} site Absolute path.
 */
export function deadLinks(site) {
  const files = new Set(globSync('**/*', { cwd: site }).map((path) => path.replaceAll('\\', '/')));
  const pages = [...files].filter((path) => path.endsWith('.html')).sort();
  const texts = new Map(pages.map((path) => [path, readFileSync(join(site, path), 'utf8')]));
  const anchors = new Map([...texts].map(([path, text]) => [path, idsOf(text)]));
  return pages.flatMap((page) => {
    const problems = [...duplicates(texts.get(page))].map((id) => `the id ${id} occurs twice`);
    for (const { name, target } of targetsOf(texts.get(page))) {
      if (/^[a-z][a-z+.-]*:|^\/\//iu.test(target)) {
        if (name === 'src' || !/^(?:https?|mailto):/iu.test(target)) problems.push(`${name} leads to ${target}`);
        continue;
      }
      const [path, anchor] = target.split('#');
      const file = path === '' ? page : relative(site, join(site, dirname(page), decodeURI(path)));
      if (!files.has(file)) problems.push(`the link leads to ${target}, which does not exist`);
      else if (anchor && !anchors.get(file)?.has(decodeURIComponent(anchor))) {
        problems.push(`the link leads to ${target}, which has no such heading`);
      }
    }
    return problems.map((problem) => `${page}: ${problem}`);
  });
}

function idsOf(html) {
  return new Set([...html.matchAll(/ id="([^"]*)"/gu)].map(([, id]) => id));
}

function duplicates(html) {
  const seen = new Set();
  return new Set([...html.matchAll(/ id="([^"]*)"/gu)].flatMap(([, id]) => (seen.has(id) ? [id] : (seen.add(id), []))));
}

function targetsOf(html) {
  return [...html.matchAll(/<[a-z]+ [^>]*?\b(href|src)="([^"]*)"/gu)].map(([, name, target]) => ({
    name,
    target: target.replaceAll('&amp;', '&'),
  }));
}
