import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MemberOptions, ProviderSetup } from '@mcr/provider-conformance';
import type { Provider } from '@mcr/core';

/** How the inventory fails, one way per outage, in turn. */
const failures: readonly ((response: ServerResponse) => unknown)[] = [
  (response) => response.writeHead(503).end(),
  // The token has expired.
  (response) => response.writeHead(401).end(),
  (response) => response.end('<html>'),
  (response) => response.end('[{"name":'),
  (response) => response.end('{}'),
  (response) => response.destroy(),
];
let outages = 0;

/** How a record is invalid, one way per record, in turn. Each one contains the token: providers must not quote it. */
const faults: readonly ((kubeconfig: unknown) => unknown)[] = [
  // Invalid YAML in the line of the token, which parsers quote: a value cannot start with "@".
  (kubeconfig) => String(kubeconfig).replace('"token": ', '"token": @'),
  // The wrong type.
  (kubeconfig) => [kubeconfig],
];
let breaks = 0;

/** Options of a provider that polls an inventory over HTTP. */
export type PollingOptions = MemberOptions & { readonly url: string; readonly pollInterval: number };

/**
 * Serves an inventory: a JSON list of records over HTTP.
 *
 * @param createProvider creates a provider that polls this inventory.
 */
export async function inventoryOverHttp(createProvider: (options: PollingOptions) => Provider): Promise<ProviderSetup> {
  const records = new Map<string, { readonly kubeconfig?: unknown }>();
  let fail: ((response: ServerResponse) => unknown) | undefined;
  const server = createServer((_, response) => {
    if (fail) fail(response);
    else response.end(JSON.stringify([...records.values()]));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/clusters`;
  const change = async (name: string, fields: object) => void records.set(name, { ...records.get(name), ...fields });
  const put: ProviderSetup['add'] = ({ name, labels, kubeconfig }) =>
    change(name, { name, state: 'ready', labels, kubeconfig });
  return {
    createProvider: (options) => createProvider({ url, pollInterval: 50, ...options }),
    add: put,
    change: put,
    relabel: ({ name, labels }) => change(name, { labels }),
    remove: async (name) => void records.delete(name),
    break: (name) => change(name, { kubeconfig: faults[breaks++ % faults.length]?.(records.get(name)?.kubeconfig) }),
    unready: (name) => change(name, { state: 'pending' }),
    ready: (name) => change(name, { state: 'ready' }),
    outage: async () => {
      fail = failures[outages++ % failures.length];
      return async () => void (fail = undefined);
    },
    dispose: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
