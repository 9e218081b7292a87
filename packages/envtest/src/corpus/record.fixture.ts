import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createTransport, type Transport } from '@mcr/client';
import { createControlPlane } from '../create-control-plane.ts';
import { RawClient } from '../../../apiserver/src/raw-client.fixture.ts';
import { configMaps, definition, deployment, shapes } from './objects.fixture.ts';

/**
 * Records lists and watches of kube-apiserver for the tests of the scanner:
 *
 *     KUBEBUILDER_ASSETS=… node --conditions=@mcr/source packages/envtest/src/corpus/record.fixture.ts
 */

const CORPUS = new URL('../../../client/corpus/', import.meta.url);
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SHAPES = '/apis/corpus.example.com/v1/namespaces/default/shapes';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const PARTIAL = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const WATCH_LIST = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

await using controlPlane = await createControlPlane({ backend: 'binaries' });
await using transport = createTransport(controlPlane.config);
using client = new RawClient(controlPlane.config);

await writeObjects();
const lists = [
  ...[SHAPES, CONFIG_MAPS, DEPLOYMENTS, DEFINITIONS, '/api/v1/namespaces'],
  '/apis/rbac.authorization.k8s.io/v1/clusterroles?limit=25',
  '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
  `${CONFIG_MAPS}?limit=3`,
  '/api/v1/namespaces/default/pods',
];
const watches = [SHAPES, CONFIG_MAPS, DEPLOYMENTS].map((path) => `${path}?watch=true&timeoutSeconds=3&${WATCH_LIST}`);
const expired = `${CONFIG_MAPS}?watch=true&timeoutSeconds=3&resourceVersion=1`;

const answers = [];
for (const path of lists) answers.push({ path, text: await read(transport, path) });
answers.push({ path: `${SHAPES} (metadata)`, text: await read(transport, SHAPES, PARTIAL) });
const watched = [...watches, expired].map(async (path) => ({ path, text: await read(transport, path) }));
await sleep(1_000);
await changeObjects();
answers.push(...(await Promise.all(watched)));

await mkdir(CORPUS, { recursive: true });
await writeFile(new URL('answers.json.gz', CORPUS), gzipSync(JSON.stringify(answers), { level: 9 }));
for (const { path, text } of answers) console.log(`${text.length} bytes: ${path}`);

async function writeObjects(): Promise<void> {
  await client.post(DEFINITIONS, definition);
  // kube-apiserver takes a moment until the kind is served.
  while ((await client.get(SHAPES)).status !== 200) await sleep(50);
  for (const shape of shapes) expectSuccess(await client.post(SHAPES, shape));
  for (const configMap of configMaps) expectSuccess(await client.post(CONFIG_MAPS, configMap));
  const { body } = await client.get(`${CONFIG_MAPS}/settings-0`);
  for (const name of ['web', 'worker'])
    expectSuccess(await client.post(DEPLOYMENTS, deployment(name, body.metadata.uid)));
  for (const manager of ['first', 'second']) {
    const metadata = { name: 'web', annotations: { [`example.com/${manager}`]: 'Grüße' } };
    const configuration = { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
    expectSuccess(await client.apply(`${DEPLOYMENTS}/web`, configuration, manager));
  }
}

/** Changes objects of all kinds. One of them is not deleted, because it has a finalizer. */
async function changeObjects(): Promise<void> {
  for (let count = 0; count < 3; count += 1) {
    const patch = { metadata: { labels: { count: `${count}` } } };
    expectSuccess(await client.patch(`${SHAPES}/numbers`, patch));
    expectSuccess(await client.patch(`${CONFIG_MAPS}/settings-1`, patch));
    expectSuccess(await client.patch(`${DEPLOYMENTS}/worker`, patch));
  }
  expectSuccess(await client.delete(`${SHAPES}/nested`));
  expectSuccess(await client.delete(`${CONFIG_MAPS}/settings-2`));
  expectSuccess(await client.delete(`${DEPLOYMENTS}/worker`));
}

function expectSuccess({ status, text }: { readonly status: number; readonly text: string }): void {
  if (status >= 300) throw new Error(`kube-apiserver answered ${status}: ${text}`);
}

/** Returns the body of a response as the server sends it. */
async function read(from: Transport, path: string, accept = 'application/json'): Promise<string> {
  const response = await from.send({ method: 'GET', path, headers: { accept }, streaming: true });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
