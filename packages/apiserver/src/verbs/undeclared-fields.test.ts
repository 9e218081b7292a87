import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const text = { type: 'string' };

const version = (name: string, spec: object): object => ({
  name,
  served: true,
  storage: name === 'v1',
  subresources: { status: {}, scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.count' } },
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } } },
});

const count = { type: 'integer' };

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'cups.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'cups', kind: 'Cup' },
    versions: [
      version('v1', { both: text, first: text, count }),
      version('v2', { both: text, count }),
      version('v3', { both: text, color: { ...text, default: 'red' }, count }),
    ],
  },
};

const path = (v: string, name = ''): string => `/apis/example.com/${v}/namespaces/default/cups${name && `/${name}`}`;

// The expected answers are those of kube-apiserver v1.35.
describe('fields that a version of a custom kind does not declare', () => {
  let controlPlane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    controlPlane = await createControlPlane({ crds: [definition] });
    client = new RawClient(controlPlane.config);
  });

  afterAll(async () => {
    client[Symbol.dispose]();
    await controlPlane.stop();
  });

  const cup = (v: string, name: string, spec: object, metadata: object = {}): object => ({
    apiVersion: `example.com/${v}`,
    kind: 'Cup',
    metadata: { name, ...metadata },
    spec,
  });

  const SPEC = { both: 'b', first: '1', count: 2 };

  it.each([
    ['a patch of the labels', (at: string) => client.patch(at, { metadata: { labels: { a: 'b' } } })],
    ['a patch of the status', (at: string) => client.patch(`${at}/status`, { status: {} })],
    ['a scale', (at: string) => client.patch(`${at}/scale`, { spec: { replicas: 2 } })],
    ['an apply', (at: string) => client.apply(at, cup('v2', at.split('/').at(-1) ?? '', { both: 'b' }), 'one')],
  ])('K-18: %s drops them, without a new generation', async (title, write) => {
    const name = title.replaceAll(' ', '-');
    await client.post(path('v1'), cup('v1', name, SPEC));
    expect((await write(path('v2', name))).status).toBe(200);
    const { body } = await client.get(path('v1', name));
    expect([body.spec, body.metadata.generation]).toEqual([{ both: 'b', count: 2 }, 1]);
  });

  it('K-18: a deletion drops them if a finalizer keeps the object', async () => {
    await client.post(path('v1'), cup('v1', 'held', SPEC, { finalizers: ['example.com/hold'] }));
    await client.delete(path('v2', 'held'));
    expect((await client.get(path('v1', 'held'))).body.spec).toEqual({ both: 'b', count: 2 });
  });

  it('K-18: a default of another version starts a new generation only if the write decodes the object', async () => {
    await client.post(path('v2'), cup('v2', 'colored', { both: 'b', count: 2 }));
    const generation = async (): Promise<number> => (await client.get(path('v1', 'colored'))).body.metadata.generation;
    await client.patch(`${path('v3', 'colored')}/scale`, { spec: { replicas: 2 } });
    await client.apply(path('v3', 'colored'), cup('v3', 'colored', { both: 'b' }), 'one');
    expect(await generation()).toBe(1);
    await client.patch(path('v3', 'colored'), { spec: { both: 'b' } });
    expect(await generation()).toBe(2);
  });

  it('K-25: stay owned by managers of versions that declare them', async () => {
    await client.post(path('v1'), cup('v1', 'owned', SPEC));
    await client.patch(path('v2', 'owned'), { spec: { both: 'c' } });
    const { managedFields } = (await client.get(path('v1', 'owned'))).body.metadata;
    expect(managedFields.map(({ fieldsV1 }) => fieldsV1)).toContainEqual({
      'f:spec': { '.': {}, 'f:first': {}, 'f:count': {} },
    });
  });

  it('K-25: are refused in an apply if a manager used a version without them', async () => {
    await client.apply(path('v2', 'applied'), cup('v2', 'applied', { both: 'b' }), 'one');
    await client.apply(path('v1', 'applied'), cup('v1', 'applied', { count: 1 }), 'two');
    const first = await client.apply(path('v1', 'applied'), cup('v1', 'applied', { first: '1' }), 'three');
    expect([first.status, first.body.message]).toEqual([
      500,
      'failed to convert new object: .spec.first: field not declared in schema',
    ]);
  });
});
