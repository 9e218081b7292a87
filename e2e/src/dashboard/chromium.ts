import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Returns the path of Chromium: `$MCR_CHROMIUM`, or a program in `$PATH`. */
export function findChromium(): string | undefined {
  const named = process.env['MCR_CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  const directories = (process.env['PATH'] ?? '').split(delimiter);
  return directories
    .flatMap((directory) => NAMES.map((name) => join(directory, name)))
    .find((path) => existsSync(path));
}

/** Starts Chromium without a window. */
export function launchChromium(executablePath: string): Promise<Browser> {
  // Chromium refuses its sandbox to root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...args, '--disable-dev-shm-usage'] });
}

/** A page in a fresh profile, and everything that it must not do. */
export interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  /** Violations of the policy, errors of the script, dialogs, and requests to other servers. */
  readonly offences: readonly string[];
  /** Keeps a picture as output of the tests. */
  readonly screenshot: (name: string) => Promise<void>;
}

/** Directory of the pictures that tests take. */
export const SCREENSHOTS = join(import.meta.dirname, '..', '..', '.mcr', 'dashboard');

/** Opens a page. Requests to other servers than that of `url` are offences. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const offences: string[] = [];
  await context.exposeFunction('reportViolation', (text: string) => void offences.push(`policy: ${text}`));
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => reportViolation(event.violatedDirective + ' ' + event.blockedURI));`,
  );
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => offences.push(`error: ${message}`));
  page.on('dialog', (dialog) => {
    offences.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(url).origin)) offences.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return {
    page,
    offences,
    async screenshot(name) {
      await mkdir(SCREENSHOTS, { recursive: true });
      await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}
