// The HTML of a page.

/** Scripts, styles, images and the index of the search come from the site itself, and nothing is inline. */
const POLICY = [
  "default-src 'none'",
  ...['script-src', 'style-src', 'img-src', 'connect-src'].map((directive) => `${directive} 'self'`),
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Pages with more headings list only those of level 2. */
const MOST_HEADINGS = 40;

/**
 * @param {object} page
 * @param {string} page.title
 * @param {string} page.base Relative path of the root of the version: `./`, `../`, ...
 * @param {string} page.version
 * @param {string} page.url Path of the page below the version.
 * @param {string} page.html
 * @param {readonly import('./markdown.mjs').Heading[]} page.headings
 * @param {readonly { topic: string, links: readonly { url: string, title: string }[] }[]} page.sidebar
 * @param {{ url: string, title: string } | undefined} page.previous
 * @param {{ url: string, title: string } | undefined} page.next
 */
export function pageHtml({ title, base, version, url, html, headings, sidebar, previous, next }) {
  return `<!doctype html>
<html lang="en" data-base="${base}" data-version="${escape(version)}" data-url="${escape(url)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} · mcr</title>
<link rel="icon" href="${base}assets/icon.svg">
<link rel="stylesheet" href="${base}assets/site.css">
<script src="${base}assets/theme.js"></script>
<script type="module" src="${base}assets/site.js"></script>
</head>
<body>
<a class="skip" href="#site-content">Skip to content</a>
<header>
<button id="site-menu" type="button" aria-controls="site-sidebar" aria-expanded="false">Menu</button>
<a class="brand" href="${base}index.html">mcr</a>
<search hidden>
<input id="site-query" type="search" placeholder="Search  ( / )" aria-label="Search" autocomplete="off" spellcheck="false">
<div id="site-results" hidden><p role="status"></p><ol></ol></div>
</search>
<select id="site-versions" aria-label="Version"><option>${escape(version)}</option></select>
<select id="site-theme" aria-label="Theme"><option value="">Auto</option><option value="light">Light</option><option value="dark">Dark</option></select>
</header>
<div class="columns">
<nav id="site-sidebar" aria-label="Topics">
${sidebar.map((group) => topic(group, base, url)).join('\n')}
</nav>
<main id="site-content" tabindex="-1">
${html}
${neighbours(previous, next, base)}
</main>
${contents(headings)}
</div>
</body>
</html>
`;
}

/** The page at the root of the site, which leads to the latest version. */
export function redirectHtml(target) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<meta http-equiv="refresh" content="0; url=${target}">
<title>mcr</title>
</head>
<body><main><h1>mcr</h1><p><a href="${target}">Documentation of the latest version</a></p></main></body>
</html>
`;
}

export function escape(text) {
  return text.replace(/[&<>"]/gu, (character) => `&#${character.codePointAt(0)};`);
}

function topic({ topic, links }, base, current) {
  const items = links.map(({ url, title }) => {
    const mark = url === current ? ' aria-current="page"' : '';
    return `<li><a href="${base}${url}"${mark}>${escape(title)}</a></li>`;
  });
  return `<h2>${topic}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
}

function neighbours(previous, next, base) {
  const links = [
    previous && `<a rel="prev" href="${base}${previous.url}"><small>Previous</small>${escape(previous.title)}</a>`,
    next && `<a rel="next" href="${base}${next.url}"><small>Next</small>${escape(next.title)}</a>`,
  ].filter(Boolean);
  return links.length === 0 ? '' : `<nav class="neighbours" aria-label="Pages">${links.join('')}</nav>`;
}

function contents(headings) {
  const inner = headings.filter(({ level }) => level === 2 || level === 3);
  const listed = inner.length > MOST_HEADINGS ? inner.filter(({ level }) => level === 2) : inner;
  if (listed.length < 2) return '';
  const items = listed.map(
    ({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${escape(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2>\n<ul>\n${items.join('\n')}\n</ul></nav>`;
}
