import { describe, expect, it } from '@jest/globals';
import { createClient, CustomResourceDefinition, defineKind, Deployment } from '@mcr/client';
import type { Kind, KubernetesObject, RestMapper } from '@mcr/client';
import type { ObjectManifest } from '../protocol.ts';
import { createInProcessServer } from './in-process-server.ts';

const key = { namespace: 'shop', name: 'web' };
const apiVersion = 'example.com/v1';

function setUp(...objects: ObjectManifest[]) {
  const server = createInProcessServer({ objects });
  const { transport } = server;
  const restMapper: RestMapper = {
    resolve: async (kind) => {
      const mapping = server.locate(kind);
      if (!mapping) throw new Error('not served');
      return mapping;
    },
    forget: () => undefined,
    resources: async () => [],
  };
  return { server, client: createClient({ server: 'https://in-process.invalid' }, { transport, restMapper }) };
}

function object(kind: string, metadata: ObjectManifest['metadata'] = key): ObjectManifest {
  return { apiVersion, kind, metadata, spec: { size: 1 } };
}

function definition(kind: string, plural: string) {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced' as const,
      names: { kind, plural },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

function namespaced(kind: string, plural: string): Kind<KubernetesObject> {
  return defineKind({ apiVersion, kind, plural, scope: 'Namespaced' });
}

describe('kinds without a definition', () => {
  it.each([
    ['Gateway', 'gateways'],
    ['Key', 'keys'],
    ['Chassis', 'chassis'],
    ['Foo', 'foozles'],
    ['Policy', 'policies'],
  ])('K-19: find an initial %s by the declared plural %s', async (kind, plural) => {
    const { client } = setUp(object(kind));
    const Declared = namespaced(kind, plural);
    expect(await client.get(Declared, key)).toMatchObject({ kind, spec: { size: 1 } });
    await client.create(Declared, { metadata: { ...key, name: 'other' } });
    expect((await client.list(Declared)).items).toHaveLength(2);
    const Undeclared = defineKind({ apiVersion, kind });
    expect((await client.list(Undeclared)).items).toHaveLength(2);
    expect((await client.list(defineKind({ apiVersion: 'example.com/v2', kind, plural }))).items).toHaveLength(2);
    await client.delete(Undeclared, key);
    expect((await client.list(Declared)).items).toHaveLength(1);
  });

  it('K-19: refuse two plurals of a kind, and two kinds with a plural', () => {
    const { server } = setUp();
    server.locate(namespaced('Foo', 'foozles'));
    expect(() => server.locate(namespaced('Foo', 'foos'))).toThrow(
      'Foo has the plural foozles in another call, found foos: declare the same one',
    );
    expect(() => server.locate(namespaced('Bar', 'foozles'))).toThrow('Bar and Foo have the plural foozles');
    expect(server.locate(defineKind({ apiVersion, kind: 'Foo' }))).toMatchObject({ plural: 'foozles' });
  });

  it.each<[string, ObjectManifest[], Kind<KubernetesObject>, string]>([
    ['none in an initial object', [object('Foo', { name: 'web' })], namespaced('Foo', 'foos'), 'with a namespace'],
    [
      'one in an initial object',
      [object('Foo')],
      defineKind({ apiVersion, kind: 'Foo', scope: 'Cluster' }),
      'without a namespace',
    ],
  ])('K-19: refuse a scope that contradicts the namespace: %s', (_, objects, kind, message) => {
    const { server } = setUp(...objects);
    expect(() => server.locate(kind)).toThrow(`Foo is used ${message}, but an initial object`);
  });

  it('K-19: refuse initial objects of one kind with and without a namespace', () => {
    expect(() => setUp(object('Foo', { name: 'a' }), object('Foo'))).toThrow(
      'objects[1]: example.com/v1 Foo web: Foo is used with a namespace, but an initial object or an earlier call has none',
    );
  });

  it('K-19: are replaced by a definition with another plural, unless they have objects', async () => {
    const { client } = setUp(object('Gateway'));
    await client.list(defineKind({ apiVersion, kind: 'Key' }));
    await client.create(CustomResourceDefinition, definition('Key', 'keys'));
    expect(await client.create(defineKind({ apiVersion, kind: 'Key' }), { metadata: key })).toMatchObject({
      kind: 'Key',
    });
    expect((await client.list(namespaced('Key', 'keys'))).items).toHaveLength(1);
    await client.create(CustomResourceDefinition, definition('Gateway', 'gateways'));
    await expect(client.list(namespaced('Gateway', 'gateways'))).rejects.toThrow(
      'Gateway has objects from before its definition gateways.example.com: pass the definition in "crds" or "crdPaths"',
    );
  });

  it('K-19: are not versions of built-in kinds', async () => {
    const { server, client } = setUp();
    expect(server.locate(defineKind({ apiVersion: 'apps/v1beta1', kind: 'Deployment' }))).toBeUndefined();
    await expect(client.create(Deployment, { metadata: key })).rejects.toThrow('spec.selector: Required value');
  });
});
