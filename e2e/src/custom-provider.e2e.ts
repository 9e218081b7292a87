import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll } from '@jest/globals';
import type { Provider } from '@mcr/core';
import type { PollingOptions } from '@mcr/example-provider-http/inventory-server';
import { inventoryOverHttp } from '@mcr/example-provider-http/inventory-server';
import { describeProvider } from '@mcr/provider-conformance/jest';

const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'custom-providers.md');

type HttpInventoryProvider = new (options: PollingOptions) => Provider;

let directory: string | undefined;

/** The first program of the document, written inside this package so that its imports are found. */
async function writeProgram(): Promise<HttpInventoryProvider> {
  const programs = join(import.meta.dirname, '..', '.mcr');
  await mkdir(programs, { recursive: true });
  directory = await mkdtemp(join(programs, 'provider-'));
  const file = join(directory, 'http-inventory-provider.ts');
  await writeFile(file, /```ts\n(.*?)```/su.exec(await readFile(DOCUMENT, 'utf8'))?.[1] ?? '');
  const program = (await import(pathToFileURL(file).href)) as { HttpInventoryProvider: HttpInventoryProvider };
  return program.HttpInventoryProvider;
}

let program: Promise<HttpInventoryProvider> | undefined;

afterAll(async () => {
  if (directory) await rm(directory, { recursive: true, force: true });
});

describeProvider({
  name: 'of docs/custom-providers.md',
  without: {
    interrupt: 'no connection stays open between polls',
  },
  fleetSize: 100,
  setup: async () => {
    const HttpInventoryProvider = await (program ??= writeProgram());
    return inventoryOverHttp((options) => new HttpInventoryProvider(options));
  },
});
