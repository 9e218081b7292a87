import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, Kind, Manager } from '@mcr/core';
import { createClient, createManager, CustomResourceDefinition, Namespace, Secret, silentLogger } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import { createCapiProvider, type CapiProvider } from './capi-provider.ts';
import type { AnyCluster } from './cluster-api.ts';
import { clusterApi } from './cluster-api.ts';
import { capiDefinition } from './manifests.fixture.ts';

const READY = { initialization: { controlPlaneInitialized: true }, phase: 'Provisioned' };
const WRONG: readonly (readonly [field: string, fields: object])[] = [
  ['spec', { spec: 'text' }],
  ['spec', { spec: [] }],
  ['status', { status: 7 }],
  ['status', { status: 'text' }],
  ['status', { status: [] }],
  ['status.phase', { status: { ...READY, phase: {} } }],
  ['status.conditions', { status: { ...READY, conditions: 'text' } }],
  ['status.conditions.0', { status: { ...READY, conditions: [null] } }],
  ['status.conditions.0.type', { status: { ...READY, conditions: [{ type: [], status: 'True' }] } }],
  ['status.initialization', { status: { ...READY, initialization: true } }],
  [
    'status.initialization.controlPlaneInitialized',
    { status: { initialization: { controlPlaneInitialized: 'true' } } },
  ],
];

describe.each(['v1beta2', 'v1beta1'])('Clusters of %s whose fields have wrong types', (version) => {
  const { kind } = clusterApi(version) as { kind: Kind<AnyCluster> };
  let fleet: ControlPlaneFleet;
  let hub: ApiClient;
  let manager: Manager;
  let provider: CapiProvider;
  const end = new AbortController();
  let started: Promise<void>;

  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 1 });
    hub = createClient(fleet.hub.config);
    await hub.create(CustomResourceDefinition, capiDefinition([version], { typed: false }) as never);
    await hub.create(Namespace, { metadata: { name: 'fleet' } });
    provider = createCapiProvider({ apiVersions: [version], namespace: 'fleet' });
    manager = await createManager({
      config: fleet.hub.config,
      provider,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    started = manager.start(end.signal);
  });

  afterAll(async () => {
    end.abort();
    await started;
    await hub.close();
    await fleet.stop();
  });

  const create = async (name: string) => {
    const label = { 'cluster.x-k8s.io/cluster-name': name };
    const metadata = { namespace: 'fleet', name: `${name}-kubeconfig`, labels: label };
    await hub.create(Secret, { metadata, stringData: { value: fleet.members[0]?.kubeconfig ?? '' } });
    await hub.create(kind, { metadata: { namespace: 'fleet', name }, spec: {} });
    await set(name, { status: READY });
  };
  /** Replaces the spec and the status. */
  const set = async (name: string, { spec = {}, status }: { readonly spec?: unknown; readonly status?: unknown }) => {
    const key = { namespace: 'fleet', name };
    await hub.patch(kind, key, [{ op: 'add', path: '/spec', value: spec }], 'json');
    await hub.status.patch(kind, key, [{ op: 'add', path: '/status', value: status ?? READY }], 'json');
  };
  const reason = (name: string) => manager.fleet.get(`fleet/${name}`)?.reason ?? '';

  it('PV-4, S-14: affect only their own entry, which keeps its last good cluster', async () => {
    await create('eu-1');
    await eventually(() => expect(provider.clusterNames()).toContain('fleet/eu-1'));
    const cluster = await provider.get('fleet/eu-1');
    for (const [index, [field, fields]] of WRONG.entries()) {
      await set('eu-1', fields);
      await eventually(() => expect(reason('eu-1')).toContain(`cannot be used: ${field}: expected`));
      expect(reason('eu-1')).toContain('keeps its last good');
      expect(await provider.get('fleet/eu-1')).toBe(cluster);
      if (index % 5 === 0) {
        await create(`later-${index}`);
        await eventually(() => expect(provider.clusterNames()).toContain(`fleet/later-${index}`));
      }
      await set('eu-1', {});
      await eventually(() => expect(reason('eu-1')).toBe('its entry can be used again'));
    }
    expect(manager.fleet.get('fleet/eu-1')?.history.map(({ phase }) => phase)).not.toContain('Disengaged');
  });
});
