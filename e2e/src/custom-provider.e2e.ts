import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll } from '@jest/globals';
import type { Provider } from '@mcr/core';
import type { Member, MemberOptions } from '@mcr/provider-conformance/jest';
import { describeProvider } from '@mcr/provider-conformance/jest';

const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'custom-providers.md');

type HttpInventoryProvider = new (options: MemberOptions & { url: string; pollInterval: number }) => Provider;

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

/** The failures of the inventory, used in turn. */
const failures: readonly ((response: ServerResponse) => unknown)[] = [
  (response) => response.writeHead(503).end(),
  (response) => response.end('[{"name":'),
  (response) => response.end('{}'),
  (response) => response.destroy(),
];
let outages = 0;

describeProvider({
  name: 'of docs/custom-providers.md',
  without: {
    interrupt: 'no connection stays open between polls',
  },
  fleetSize: 100,
  setup: async () => {
    const HttpInventoryProvider = await (program ??= writeProgram());
    const records = new Map<string, object>();
    let fail: ((response: ServerResponse) => unknown) | undefined;
    const server = createServer((_, response) => {
      if (fail) fail(response);
      else response.end(JSON.stringify([...records.values()]));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/clusters`;
    const put = async ({ name, labels, kubeconfig }: Member) =>
      void records.set(name, { name, labels, kubeconfig, state: 'ready' });
    const change = async (name: string, fields: object) => void records.set(name, { ...records.get(name), ...fields });
    return {
      createProvider: (options) => new HttpInventoryProvider({ url, pollInterval: 50, ...options }),
      add: put,
      change: put,
      relabel: put,
      remove: async (name) => void records.delete(name),
      break: (name) => change(name, { kubeconfig: 42 }),
      unready: (name) => change(name, { state: 'pending' }),
      ready: (name) => change(name, { state: 'ready' }),
      outage: async () => {
        fail = failures[outages++ % failures.length];
        return async () => void (fail = undefined);
      },
      dispose: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  },
});
