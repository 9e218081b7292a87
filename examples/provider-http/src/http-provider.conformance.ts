import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
// By the package's own name: what is tested is what is published.
import { HttpProvider } from '@mcr/example-provider-http';
import type { Member } from '@mcr/provider-conformance/node-test';
import { describeProvider } from '@mcr/provider-conformance/node-test';

/** The ways in which the inventory fails, in turn. */
const failures: readonly ((response: ServerResponse) => void)[] = [
  (response) => void response.writeHead(500).end(),
  // The token has expired.
  (response) => void response.writeHead(401).end(),
  (response) => void response.end('<html>'),
  (response) => void response.destroy(),
];
let outages = 0;

describeProvider({
  name: 'http',
  without: {
    interrupt: 'no connection stays open between polls',
  },
  setup: async () => {
    const records = new Map<string, Record<string, unknown>>();
    let fail: ((response: ServerResponse) => void) | undefined;
    const server = createServer((_, response) => {
      if (fail) fail(response);
      else response.end(JSON.stringify([...records.values()]));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;

    const put = async ({ name, labels, kubeconfig }: Member) =>
      void records.set(name, { name, state: 'ready', labels, kubeconfig });
    const change = async (name: string, fields: object) => void records.set(name, { ...records.get(name), ...fields });
    return {
      createProvider: (options) => new HttpProvider({ url: `http://127.0.0.1:${port}`, pollInterval: 50, ...options }),
      add: put,
      change: put,
      relabel: ({ name, labels }) => change(name, { labels }),
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
        server.close();
        await once(server, 'close');
      },
    };
  },
});
