import { describe, expect, it } from '@jest/globals';
import { defineKind, type KubernetesObject } from '@mcr/client';
import { InMemoryClient } from './in-memory-client.ts';

interface Door extends KubernetesObject {
  spec?: { width?: number; size?: number };
}
const DoorV1 = defineKind<Door>({ apiVersion: 'home.example.com/v1', kind: 'Door', scope: 'Cluster' });
const DoorV2 = defineKind<Door>({ apiVersion: 'home.example.com/v2', kind: 'Door', scope: 'Cluster' });
const key = { name: 'front' };

function version(name: string, field: string, storage: boolean) {
  const spec = { type: 'object', properties: { [field]: { type: 'integer' } } };
  return { name, served: true, storage, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } };
}

function definition(versions: readonly ReturnType<typeof version>[], spec: object = {}) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'doors.home.example.com' },
    spec: {
      group: 'home.example.com',
      scope: 'Cluster',
      names: { kind: 'Door', plural: 'doors' },
      versions,
      ...spec,
    },
  };
}

describe('a definition with several versions, in memory', () => {
  const versions = [version('v1', 'width', false), version('v2', 'size', true)];

  it('K-19: serves only the stored version, if something else installs the conversion', async () => {
    const client = new InMemoryClient({ crds: [definition(versions)] });
    expect((await client.create(DoorV2, { metadata: key, spec: { size: 1 } })).spec).toEqual({ size: 1 });
    for (const call of [client.get(DoorV1, key), client.create(DoorV1, { metadata: key }), client.list(DoorV1)]) {
      await expect(call).rejects.toThrow(
        'home.example.com/v1 Door is not served in memory, because doors.home.example.com has several versions and no spec.conversion: use v2',
      );
    }
  });

  it('K-19: serves all versions that need no conversion', async () => {
    for (const crd of [
      definition(versions, { conversion: { strategy: 'None' } }),
      definition([version('v1', 'size', false), version('v2', 'size', true)]),
    ]) {
      const client = new InMemoryClient({ crds: [crd] });
      await client.create(DoorV2, { metadata: key, spec: { size: 1 } });
      expect(await client.get(DoorV1, key)).toMatchObject({ apiVersion: 'home.example.com/v1' });
    }
  });

  it('S-14: leaves it to the server to refuse what is not a definition', async () => {
    for (const crd of [{}, { spec: {} }, { spec: { versions: [1], names: {} } }, undefined]) {
      const client = new InMemoryClient({ crds: [crd as never] });
      await expect(client.list(DoorV1)).rejects.toThrow('InMemoryClient: option "crds.0');
    }
  });
});
