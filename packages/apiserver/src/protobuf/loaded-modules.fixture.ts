import { registerHooks } from 'node:module';
import type { ClusterAddress } from '../protocol.ts';

/*
 * Runs as a separate process. Starts a server, writes and reads an object without a status in JSON, and writes a status.
 * Prints the loaded modules of this folder after each step, as JSON.
 */

const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    if (url.startsWith(new URL('.', import.meta.url).href)) loaded.push(url.slice(url.lastIndexOf('/') + 1));
    return next(url, context);
  },
});

const { ApiServer } = await import('../api-server.ts');
const { RawClient } = await import('../raw-client.fixture.ts');
const SERVICES = '/api/v1/namespaces/default/services';

const server = await ApiServer.start({
  historyLimit: 1_000,
  bookmarkInterval: 60_000,
  featureGates: {},
  controllers: true,
});
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'carts.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'carts', kind: 'Cart' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const cluster = { name: 'hub', port: 0, crds: [definition] };
const { port, caCertificate, token }: ClusterAddress = await server.createCluster(cluster);
{
  using client = new RawClient({
    server: `https://127.0.0.1:${port}`,
    tls: { caData: caCertificate },
    auth: { type: 'token', token },
  });
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } };
  const created = await client.post(SERVICES, service);
  const read = await client.get(`${SERVICES}/a`);
  const table = await client.get(SERVICES, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  const json = { statuses: [created, read, table].map(({ status }) => status), modules: [...loaded] };
  const written = await client.put(`${SERVICES}/a/status`, created.body);
  const status = { status: written.status, modules: [...loaded] };
  process.stdout.write(JSON.stringify({ json, status }));
}
await server.stop();
