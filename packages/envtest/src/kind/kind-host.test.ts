import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigMap, createClient, defineKind, isUnauthorized } from '@mcr/client';
import type { ControlPlane } from '../control-plane.ts';
import { createControlPlane } from '../create-control-plane.ts';
import { createControlPlaneFleet } from '../fleet.ts';
import { createKindStandIn, type KindStandIn } from './stand-in.ts';
import { isUnsupportedOperation } from '../unsupported-operation-error.ts';

const CARTS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'carts.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    names: { plural: 'carts', singular: 'cart', kind: 'Cart', listKind: 'CartList' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

describe('a control plane of backend "kind"', () => {
  const path = process.env['PATH'];
  let kind: KindStandIn;
  let plane: ControlPlane;
  beforeAll(async () => {
    kind = await createKindStandIn();
    process.env['PATH'] = kind.path;
    plane = await createControlPlane({ backend: 'kind', name: 'shop', crds: [CARTS] });
  });
  afterAll(async () => {
    await plane.stop();
    process.env['PATH'] = path;
    await kind.stop();
  });

  it('is a Kind cluster with the given kinds, until it is stopped', async () => {
    expect(await kind.names()).toEqual([expect.stringMatching(/^mcr-shop-[0-9a-f]{6}$/)]);
    await using client = createClient(plane.config);
    const Cart = defineKind({ apiVersion: 'shop.example.com/v1', kind: 'Cart' });
    await client.create(Cart, { metadata: { namespace: 'default', name: 'mine' } });
    await plane.seed({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'seed' } }, 3);
    const { items } = await client.list(ConfigMap, { namespace: 'default' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['seed-0', 'seed-1', 'seed-2']);
  });

  it('issues tokens and revokes them', async () => {
    const issued = await plane.issueToken();
    await using client = createClient(issued.config);
    await client.list(ConfigMap);
    await plane.revokeToken(issued);
    expect(isUnauthorized(await client.list(ConfigMap).catch((error: unknown) => error))).toBe(true);
    await expect(plane.revokeToken(issued)).rejects.toThrow('expected a token that this control plane has issued');
  });

  it('refuses operations that only the embedded server supports', async () => {
    const failure = await plane.cutConnections().catch((error: unknown) => error);
    expect(isUnsupportedOperation(failure)).toBe(true);
    expect(String(failure)).toContain('do not support cutConnections(): use backend "embedded"');
    await expect(createControlPlane({ backend: 'kind', dataDir: '/tmp' })).rejects.toThrow(
      'backend "kind" does not support the option "dataDir"',
    );
  });

  it('is a part of each control plane of a fleet of that backend', async () => {
    process.env['MCR_BACKEND'] = 'kind';
    try {
      await using fleet = await createControlPlaneFleet({ members: 1 });
      await fleet.addMember('late');
      expect(await kind.names()).toEqual([
        expect.stringMatching(/^mcr-hub-/),
        expect.stringMatching(/^mcr-late-/),
        expect.stringMatching(/^mcr-member-1-/),
        expect.stringMatching(/^mcr-shop-/),
      ]);
    } finally {
      delete process.env['MCR_BACKEND'];
    }
    expect(await kind.names()).toHaveLength(1);
  });

  it('reports why it could not be created', async () => {
    const recover = await kind.failEngine();
    await expect(createControlPlane({ backend: 'kind' })).rejects.toThrow(/kind create cluster .*docker ps/);
    await recover();
    process.env['PATH'] = '/nowhere';
    await expect(createControlPlane({ backend: 'kind' })).rejects.toThrow(/program not found: install Kind/);
    process.env['PATH'] = kind.path;
  });
});
