import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { findChromium, launchChromium, openPage, type WatchedPage } from './dashboard/chromium.ts';
import { until } from './until.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Directory of the pictures that these tests take. */
const PICTURES = join(import.meta.dirname, '..', '.mcr', 'site');
/** Time to build the site on a busy machine, in milliseconds. */
const BUILD_TIMEOUT = 5 * 60_000;
/** Time for all pages in one screen, in milliseconds. */
const PAGES_TIMEOUT = 5 * 60_000;

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 360, height: 740 };
/** A page of each sort: with programs and wide tables, a list, a README, a module, a class, a function. */
const PAGES = [
  'index',
  'manager',
  'deployment',
  'packages/index',
  'packages/core/index',
  'api/@mcr/core/index',
  'api/@mcr/core/classes/EngagedClusters',
  'api/@mcr/core/functions/createManager',
];

let site: string;
let server: ChildProcess;
let url: string;
const printed: string[] = [];

beforeAll(async () => {
  site = await mkdtemp(join(tmpdir(), 'mcr-site-'));
  // A version that an earlier release published.
  await mkdir(join(site, '0.0.1'));
  await writeFile(join(site, '0.0.1', 'index.html'), '<!doctype html><title>0.0.1</title><h1>Version 0.0.1</h1>');
  const script = join(ROOT, 'scripts', 'site.mjs');
  server = spawn(process.execPath, [script, '--out', site, '--serve'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = server.stdout;
  const errors = server.stderr;
  if (output === null || errors === null) throw new Error('the output of the site is not a pipe');
  createInterface({ input: errors }).on('line', (line) => printed.push(line));
  const ended = once(server, 'exit').then(() => Promise.reject(new Error(`no site:\n${printed.join('\n')}`)));
  const line = new Promise<string>((resolve) => {
    createInterface({ input: output }).on('line', (text) => {
      const [address] = /http:\/\/\S+\//u.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
  url = await Promise.race([line, ended]);
}, BUILD_TIMEOUT);

afterAll(async () => {
  server.kill('SIGKILL');
  await rm(site, { recursive: true, force: true });
});

describe('the documentation site', () => {
  it('WB-12: has no link that leads nowhere', () => {
    expect(printed).toEqual([]);
  });

  it('WB-12: lists the versions, and leads to the latest one', async () => {
    const response = await fetch(`${url}versions.json`);
    const [latest, ...others] = (await response.json()) as string[];
    expect(others).toEqual(['0.0.1']);
    expect(await (await fetch(url)).text()).toContain(`url=${latest ?? ''}/index.html`);
  });
});

const executable = findChromium();

if (executable === undefined) {
  it.skip('needs Chromium: install it, or set $MCR_CHROMIUM to its path', () => undefined);
} else {
  describe('the documentation site in Chromium', () => inBrowser(executable));
}

function inBrowser(chromium: string): void {
  let browser: Browser;
  let version: string;

  beforeAll(async () => {
    browser = await launchChromium(chromium);
    const response = await fetch(`${url}versions.json`);
    [version = ''] = (await response.json()) as string[];
    await mkdir(PICTURES, { recursive: true });
  });
  afterAll(() => browser.close());

  const open = (path: string, options: BrowserContextOptions = {}): Promise<WatchedPage> =>
    openPage(browser, `${url}${version}/${path}.html`, { viewport: WIDE, ...options });

  it.each([
    { screen: 'wide', viewport: WIDE, colorScheme: 'light' as const },
    { screen: 'wide dark', viewport: WIDE, colorScheme: 'dark' as const },
    { screen: 'narrow', viewport: NARROW, colorScheme: 'light' as const },
    { screen: 'narrow dark', viewport: NARROW, colorScheme: 'dark' as const },
  ])(
    'WB-12: pages on a $screen screen fit, have no axe violations, and keep to their policy',
    async ({ screen, ...options }) => {
      for (const path of PAGES) {
        await using watched = await open(path, options);
        const { page, offences } = watched;
        await page.getByLabel('Version').locator('option[value="0.0.1"]').waitFor({ state: 'attached' });
        const name = `${path.replaceAll('/', '-')}-${screen.replaceAll(' ', '-')}.png`;
        await page.screenshot({ path: join(PICTURES, name) });
        expect({ path, width: await page.evaluate('document.documentElement.scrollWidth') }).toEqual({
          path,
          width: options.viewport.width,
        });
        expect({ path, violations: await violations(page) }).toEqual({ path, violations: [] });
        expect({ path, offences }).toEqual({ path, offences: [] });
      }
    },
    PAGES_TIMEOUT,
  );

  it('WB-12: finds sections and symbols with the keyboard alone', async () => {
    await using watched = await open('sharding');
    const { page } = watched;
    await page.keyboard.press('/');
    await page.keyboard.type('rotate credentials');
    const results = page.locator('search ol a');
    await results.first().waitFor();
    await page.screenshot({ path: join(PICTURES, 'search.png') });
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.textContent')).toBe(await results.first().textContent());
    await results.getByText('The client › Rotate credentials').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await results.first().waitFor({ state: 'hidden' });

    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('controllerManagedBy');
    await results.getByText('controllerManagedBy', { exact: false }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/functions/controllerManagedBy.html');
    expect(watched.offences).toEqual([]);
  });

  it('WB-12: says that nothing was found, and shows markup in a query as text', async () => {
    await using watched = await open('index');
    const { page } = watched;
    await page.getByLabel('Search').fill('<img src=x onerror=alert(1)>zzz');
    await page.locator('search [role=status]', { hasText: '<img src=x' }).waitFor();
    expect(await page.locator('search img').count()).toBe(0);
    expect(watched.offences).toEqual([]);
  });

  it('WB-12: copies a program', async () => {
    await using watched = await open('manager', { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = watched;
    const code = page.locator('.code').first();
    await code.getByRole('button', { name: 'Copy' }).click();
    await code.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(await code.locator('pre').textContent());
    expect(copied).toContain('await createManager({');
  });

  it('WB-12: goes to another version, to its first page if the page is not in it', async () => {
    await using watched = await open('manager');
    await watched.page.getByLabel('Version').selectOption('0.0.1');
    await watched.page.waitForURL('**/0.0.1/index.html');
  });

  it('WB-12: goes to the next and the previous page, and to a heading', async () => {
    await using watched = await open('index');
    const { page } = watched;
    await page.locator('a[rel=next]').click();
    await page.waitForURL('**/tutorial.html');
    await page.locator('a[rel=prev]').click();
    await page.waitForURL('**/index.html');
    await page.getByRole('link', { name: 'Link to Try it' }).click();
    await page.waitForURL('**/index.html#try-it');
  });

  it('WB-12: keeps the chosen theme', async () => {
    await using watched = await open('index');
    const { page } = watched;
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await ground()).toBe('rgb(255, 255, 255)');
    await page.getByLabel('Theme').selectOption('dark');
    expect(await ground()).toBe('rgb(18, 22, 28)');
    await page.goto(`${url}${version}/manager.html`);
    expect(await ground()).toBe('rgb(18, 22, 28)');
  });

  it('WB-12: opens and closes the sidebar of a narrow screen with the keyboard', async () => {
    await using watched = await open('manager', { viewport: NARROW });
    const { page } = watched;
    const sidebar = page.getByRole('navigation', { name: 'Topics' });
    await until(() => sidebar.isHidden());
    await page.getByRole('button', { name: 'Menu' }).press('Enter');
    await sidebar.waitFor();
    expect(await sidebar.locator('[aria-current=page]').textContent()).toBe('The manager');
    await page.screenshot({ path: join(PICTURES, 'menu-narrow.png') });
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await sidebar.waitFor({ state: 'hidden' });
  });
}

/** Returns the rules that a page breaks, each with the elements. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}
