import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import MiniSearch from 'minisearch';
import { root } from './published-packages.mjs';
import { searchOptions } from './site/assets/search-options.js';
import { checkContents } from './site/contents.mjs';
import { deadLinks } from './site/dead-links.mjs';
import { linkResolver } from './site/links.mjs';
import { render } from './site/markdown.mjs';
import { searchIndex } from './site/search-index.mjs';
import { serve } from './site/serve.mjs';
import { sortVersions, writeRoot } from './site/versions.mjs';

let site;

beforeEach(() => {
  site = mkdtempSync(join(tmpdir(), 'mcr-site-'));
});
afterEach(() => rmSync(site, { recursive: true, force: true }));

function write(path, text) {
  mkdirSync(dirname(join(site, path)), { recursive: true });
  writeFileSync(join(site, path), text);
}

describe('the table of contents', () => {
  it('WB-12: has each document', () => {
    checkContents(globSync('docs/*.md', { cwd: root }));
  });

  it('WB-12: names a document without a place, and the file to change', () => {
    expect(() => checkContents(['docs/manager.md', 'docs/new.md'])).toThrow(
      'documents without a place in the sidebar: docs/new.md: add them to scripts/site/contents.mjs',
    );
  });
});

describe('a rendered document', () => {
  const same = (href) => href;

  it("WB-12: has GitHub's anchors, and a link for each heading", () => {
    const { html, headings } = render('# Top\n\n## `get`, and *more*\n\n## Twice\n\n## Twice\n', same);
    expect(headings.map(({ id }) => id)).toEqual(['top', 'get-and-more', 'twice', 'twice-1']);
    expect(html).toContain(
      '<h2 id="twice-1">Twice <a class="anchor" href="#twice-1" aria-label="Link to Twice">#</a></h2>',
    );
  });

  it('WB-12: is highlighted by classes, without a style attribute', () => {
    const { html } = render('```ts\nconst text = `<b>`;\n```\n\n```\n<plain>\n```\n', same);
    expect(html).toContain('<span class="hljs-keyword">const</span>');
    expect(html).toContain('&lt;b&gt;');
    expect(html).toContain('&lt;plain&gt;');
    expect(html).not.toContain('style=');
  });

  it('WB-12: resolves links to pages, to files of the repository, and to other sites', () => {
    const urls = new Map([
      ['docs/manager.md', 'manager.html'],
      ['packages/core/README.md', 'packages/core/index.html'],
    ]);
    const images = new Set();
    const resolve = linkResolver(
      urls,
      'abc',
      images,
    )({ source: 'packages/core/README.md', url: 'packages/core/index.html' });
    expect(resolve('../../docs/manager.md#options')).toBe('../../manager.html#options');
    expect(resolve('https://github.com/mcr-dev/mcr/blob/main/docs/manager.md')).toBe('../../manager.html');
    expect(resolve('https://github.com/mcr-dev/mcr/tree/main/packages/core')).toBe('index.html');
    expect(resolve('../../lerna.json')).toBe('https://github.com/mcr-dev/mcr/blob/abc/lerna.json');
    expect(resolve('../../examples')).toBe('https://github.com/mcr-dev/mcr/tree/abc/examples');
    expect(resolve('../../docs/images/demo.svg')).toBe('../../assets/docs/images/demo.svg');
    expect(resolve('https://raw.githubusercontent.com/mcr-dev/mcr/main/docs/images/demo.svg')).toBe(
      '../../assets/docs/images/demo.svg',
    );
    expect(resolve('https://kubernetes.io/docs')).toBe('https://kubernetes.io/docs');
    expect(resolve('#below')).toBe('#below');
    expect([...images]).toEqual(['docs/images/demo.svg']);
  });
});

describe('the check of links', () => {
  it('WB-12: accepts a site whose links lead somewhere', () => {
    write(
      'a.html',
      '<h1 id="top">A</h1><a href="b/c.html#x">c</a> <a href="#top">top</a> <a href="https://example.com/">e</a>',
    );
    write('b/c.html', '<h1 id="x">C</h1><a href="../a.html">a</a><img src="../assets/p%20q.svg">');
    write('assets/p q.svg', '<svg/>');
    expect(deadLinks(site)).toEqual([]);
  });

  it.each([
    ['a missing page', '<a href="gone.html">', 'the link leads to gone.html, which does not exist'],
    ['a missing heading', '<a href="#gone">', 'the link leads to #gone, which has no such heading'],
    ['a page outside of the site', '<a href="../gone.html">', 'the link leads to ../gone.html, which does not exist'],
    ['a script of another host', '<script src="https://example.com/x.js">', 'src leads to https://example.com/x.js'],
    ['a script in a link', '<a href="javascript:alert(1)">', 'href leads to javascript:alert(1)'],
    ['an id that occurs twice', '<p id="x"><p id="x">', 'the id x occurs twice'],
  ])('WB-12: reports %s', (_, html, problem) => {
    write('a.html', html);
    expect(deadLinks(site)).toEqual([`a.html: ${problem}`]);
  });
});

describe('the search index', () => {
  const pages = [
    {
      kind: 'document',
      url: 'client.html',
      title: 'The client',
      sections: render('# The client\n\nReads objects.\n\n## Rotate credentials\n\nReplaces tokens.\n', (href) => href)
        .sections,
    },
    {
      kind: 'api',
      url: 'api/@mcr/core/functions/createManager.html',
      title: 'Function: createManager()',
      sections: [
        {
          id: '',
          heading: '',
          text: 'API reference / @mcr/core / createManager Defined in: a.ts:1 Creates a manager.',
        },
      ],
    },
  ];
  const search = (text) =>
    MiniSearch.loadJSON(searchIndex(pages), searchOptions)
      .search(text)
      .map(({ id, heading, excerpt }) => ({ id, heading, excerpt }));

  it('WB-12: finds a section by a prefix, or by a misspelt word', () => {
    const section = {
      id: 'client.html#rotate-credentials',
      heading: 'Rotate credentials',
      excerpt: 'Replaces tokens.',
    };
    expect(search('rotate cred')).toEqual([section]);
    expect(search('credentails')).toEqual([section]);
    expect(search('rotate nothing')).toEqual([]);
  });

  it('WB-12: finds a symbol by a part of its name, with its module and its description', () => {
    const symbol = {
      id: 'api/@mcr/core/functions/createManager.html',
      heading: '@mcr/core',
      excerpt: 'Creates a manager.',
    };
    expect(search('createmanager')).toEqual([symbol]);
    expect(search('manager')).toEqual([symbol]);
  });
});

describe('the versions of a site', () => {
  it('WB-12: are sorted as numbers, with a prerelease after its release', () => {
    expect(sortVersions(['0.9.0', '1.0.0-rc.2', '0.10.0', '1.0.0', '1.0.0-rc.10'])).toEqual([
      ...['1.0.0', '1.0.0-rc.10', '1.0.0-rc.2', '0.10.0', '0.9.0'],
    ]);
  });

  it('WB-12: are listed, and the root leads to the latest release', () => {
    for (const version of ['0.9.0', '0.10.0', '0.11.0-rc.0']) write(`${version}/index.html`, '');
    write('unrelated/index.html', '');
    expect(writeRoot(site)).toEqual(['0.11.0-rc.0', '0.10.0', '0.9.0']);
    expect(JSON.parse(readFileSync(join(site, 'versions.json'), 'utf8'))).toEqual(['0.11.0-rc.0', '0.10.0', '0.9.0']);
    expect(readFileSync(join(site, 'index.html'), 'utf8')).toContain('url=0.10.0/index.html');
  });
});

describe('the server of the site', () => {
  it('WB-12: serves files of the site only, on loopback', async () => {
    write('a b.html', '<h1>A</h1>');
    const { url, close } = await serve(join(site));
    try {
      const page = await fetch(`${url}a%20b.html`);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await page.text()).toBe('<h1>A</h1>');
      for (const path of ['gone.html', '', '..%2f..%2fetc%2fpasswd'])
        expect((await fetch(url + path)).status).toBe(404);
      expect(new URL(url).hostname).toBe('127.0.0.1');
    } finally {
      await close();
    }
  });
});
