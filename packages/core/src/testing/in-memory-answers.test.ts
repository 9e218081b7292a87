import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, Client } from '@mcr/client';
import { ApiError, ConfigMap, createClient, Deployment, draftOf, Pod, Scale, Secret } from '@mcr/client';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { Cart, cartDefinition } from './cart.fixture.ts';
import { InMemoryClient } from './in-memory-client.ts';

const key = { namespace: 'default', name: 'cart' };
const one = { fieldManager: 'one' };
const two = { fieldManager: 'two' };

const template = {
  metadata: { labels: { app: 'cart' } },
  spec: { containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: 80 }] }] },
};
const deployment = { metadata: key, spec: { selector: { matchLabels: { app: 'cart' } }, template } };

/** Calls in order. Each one sees the results of those before it. */
const calls: Record<string, (client: Client) => Promise<unknown>> = {
  'K-10: get of nothing': (client) => client.get(ConfigMap, key),
  'K-10: create': (client) => client.create(ConfigMap, { metadata: key, data: { a: '1' } }, one),
  'K-10: create again': (client) => client.create(ConfigMap, { metadata: key }),
  'K-10: create with an invalid name': (client) => client.create(ConfigMap, { metadata: { ...key, name: 'A_B' } }),
  'K-2: get': (client) => client.get(ConfigMap, key),
  'K-4: list by labels and name': (client) =>
    client.list(ConfigMap, { namespace: 'default', labelSelector: '!app', fieldSelector: 'metadata.name=cart' }),
  'K-4: list by an unknown field': (client) => client.list(ConfigMap, { fieldSelector: 'data.a=1' }),
  'K-4: list by an invalid label': (client) => client.list(ConfigMap, { labelSelector: 'a in b' }),
  'K-18: table': (client) => client.table(ConfigMap, { namespace: 'default', fieldSelector: 'metadata.name=cart' }),
  'K-12: merge patch': (client) => client.patch(ConfigMap, key, { data: { b: '2' } }, 'merge', one),
  'K-12: JSON patch': (client) =>
    client.patch(ConfigMap, key, [{ op: 'move', from: '/data/b', path: '/data/c' }], 'json', two),
  'K-12: JSON patch whose test fails': (client) =>
    client.patch(ConfigMap, key, [{ op: 'test', path: '/data/c', value: '3' }], 'json'),
  'K-13: apply': (client) => client.apply(ConfigMap, { metadata: key, data: { c: '3', d: '4' } }, { ...two }),
  'K-13: apply with force': (client) =>
    client.apply(ConfigMap, { metadata: key, data: { c: '3', d: '4' } }, { ...one, force: true }),
  'K-13: apply less': (client) => client.apply(ConfigMap, { metadata: key, data: { d: '4' } }, one),
  'K-13: apply an unknown field': (client) =>
    client.apply(ConfigMap, { metadata: key, data: 7 } as object as Named, one),
  'K-11: update of a stale version': (client) =>
    client.update(ConfigMap, { metadata: { ...key, resourceVersion: '1' }, data: {} }),
  'K-11: update': async (client) => {
    const draft = draftOf(await client.get(ConfigMap, key));
    return client.update(ConfigMap, { ...draft, data: { e: '5' } }, two);
  },
  'K-14: delete with another uid': (client) => client.delete(ConfigMap, key, { preconditions: { uid: 'other' } }),
  'K-14: delete': (client) => client.delete(ConfigMap, key),
  'K-16: incomplete Deployment': (client) => client.create(Deployment, { metadata: key }),
  'K-28: Deployment': (client) => client.create(Deployment, deployment, one),
  'K-12: strategic merge patch': (client) =>
    client.patch(
      Deployment,
      key,
      { spec: { template: { spec: { containers: [{ name: 'log', image: 'log:1' }] } } } },
      'strategic',
      two,
    ),
  'K-11: status': (client) => client.status.patch(Deployment, key, { status: { replicas: 1 } }, 'merge', two),
  'K-25: scale': (client) => client.subresource('scale', Scale).get(Deployment, key),
  'K-25: patch of the scale': (client) =>
    client.subresource('scale', Scale).patch(Deployment, key, { spec: { replicas: 3 } }, 'merge', two),
  'K-11: change of an immutable field': (client) =>
    client.patch(Deployment, key, { spec: { selector: { matchLabels: { tier: 'web' } } } }, 'merge'),
  'K-28: Pod': (client) => client.create(Pod, { metadata: key, spec: { ...template.spec, nodeName: 'n-1' } }, one),
  'K-4: Pods by node': (client) => client.list(Pod, { fieldSelector: 'spec.nodeName=n-1,status.phase=Pending' }),
  'K-11: Secret that must not change': async (client) => {
    await client.create(Secret, { metadata: key, stringData: { a: '1' }, immutable: true });
    return client.patch(Secret, key, { data: { a: 'Mg==' } }, 'merge');
  },
  'K-19: custom resource': (client) => client.create(Cart, { metadata: key, spec: { size: 1 } }, one),
  'K-19: invalid custom resource': (client) => client.patch(Cart, key, { spec: { size: 11 } }, 'merge'),
  'K-19: strategic merge patch of a custom resource': (client) => client.patch(Cart, key, { spec: {} }, 'strategic'),
  'K-25: apply of an undeclared field': (client) =>
    client.apply(Cart, { metadata: key, spec: { weight: 1 } } as object as Named, two),
  'K-13: status of a custom resource': (client) =>
    client.status.apply(Cart, { metadata: key, status: { phase: 'Ready' } }, two),
  'K-4: custom resources by a field': (client) => client.list(Cart, { fieldSelector: 'spec.colour=blue' }),
  'K-25: scale of a custom resource': (client) => client.subresource('scale', Scale).get(Cart, key),
  'K-15: dry run': (client) => client.create(Cart, { metadata: { ...key, name: 'dry' } }, { ...one, dryRun: true }),
  'K-14: collection': async (client) => {
    await client.deleteCollection(Cart, { namespace: 'default' });
    return client.list(Cart);
  },
};

type Named = { readonly metadata: typeof key };

/** Replaces what differs between two servers: uids, versions and times. Columns of a kube-apiserver have long descriptions. */
function normalized(value: unknown): unknown {
  const text = JSON.stringify(value, (field, part: unknown) => (field === 'description' ? undefined : part));
  return JSON.parse(
    text
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
      .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"')
      .replaceAll(/"resourceVersion":"\d+"/g, '"resourceVersion":"VERSION"')
      .replaceAll(/"cells":\["cart",(\d+),"[^"]+"\]/g, '"cells":["cart",$1,"AGE"]'),
  );
}

async function answerOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return normalized((await call) ?? null);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, reason, message, details } = error;
    return normalized({ status, reason, message, details });
  }
}

/** The server is a kube-apiserver with `MCR_BACKEND=binaries`. */
describe('the answers of an in-memory client are those of an API server', () => {
  const memory = new InMemoryClient({ crds: [cartDefinition] });
  let controlPlane: ControlPlane;
  let client: ApiClient;

  beforeAll(async () => {
    controlPlane = await createControlPlane({ crds: [cartDefinition] });
    client = createClient(controlPlane.config);
  });
  afterAll(async () => {
    await client.close();
    await controlPlane.stop();
  });

  it.each(Object.entries(calls))('%s', async (_, call) => {
    const [expected, found] = await Promise.all([answerOf(call(client)), answerOf(call(memory))]);
    expect(found).toEqual(expected);
  });
});
