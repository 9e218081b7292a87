import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, ObjectOf } from '@mcr/core';
import { createClient, CustomResourceDefinition, ensureCrds } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { crdOf, defineKind, defineKindVersions, newObject } from '@mcr/kinds';
import * as z from 'zod';
import { installWebhooks } from '../install/install-webhooks.ts';
import { RunningWebhooks } from '../server/server.fixture.ts';

const names = { kind: 'Door', plural: 'doors', scope: 'Namespaced' } as const;
const DoorV1 = defineKind({
  ...names,
  apiVersion: 'home.example.com/v1',
  spec: z.object({ size: z.string().regex(/^\d{1,3}x\d{1,3}$/) }),
});
const DoorV2 = defineKind({
  ...names,
  apiVersion: 'home.example.com/v2',
  spec: z.object({ width: z.int32(), height: z.int32() }),
});
const Door = defineKindVersions({
  storage: DoorV2,
  served: [DoorV1],
  convert: {
    v1: {
      up: ({ spec }: ObjectOf<typeof DoorV1>) => {
        const [width = 0, height = 0] = spec.size.split('x').map(Number);
        return { spec: { width, height } };
      },
      down: ({ spec }: ObjectOf<typeof DoorV2>) => ({ spec: { size: `${spec.width}x${spec.height}` } }),
    },
  },
});
const NAME = 'doors.home.example.com';

const backends =
  process.env['KUBEBUILDER_ASSETS'] === undefined ? (['embedded'] as const) : (['embedded', 'binaries'] as const);

describe.each(backends)('the conversion of a kind of several versions on %s', (backend) => {
  let controlPlane: ControlPlane;
  let running: RunningWebhooks;
  let client: ApiClient;

  beforeAll(async () => {
    controlPlane = await createControlPlane({ backend });
    client = createClient(controlPlane.config);
    running = await RunningWebhooks.start({
      config: controlPlane.config,
      setUp: (webhooks) => webhooks.register(Door),
    });
    const { manager, webhooks, url } = running;
    const clusters = { local: true, provider: false };
    await ensureCrds(manager, [crdOf(Door, { conversion: 'external' })], { install: true, revision: 1, clusters });
    await installWebhooks(manager, webhooks, { name: NAME, url, clusters });
    const synced = () => {
      const { sources = {} } = manager.fleet.get('') ?? {};
      return [`webhooks ${NAME}`, `CRD ${NAME}`].every((part) => sources[part]?.synced);
    };
    await eventually(synced);
  });
  afterAll(async () => {
    await running[Symbol.asyncDispose]();
    await client[Symbol.asyncDispose]();
    await controlPlane.stop();
  });

  it('WH-1: converts a registered kind of several versions, with one call', async () => {
    let attempts = 0;
    // API servers notice a changed definition after a moment, and drop unknown fields until then.
    await eventually(
      async () => {
        const metadata = { namespace: 'default', name: `door-${++attempts}` };
        const door = newObject(DoorV1, { metadata, spec: { size: '80x200' } });
        await client.create(DoorV1, door, { retry: 'never' });
        expect((await client.get(DoorV2, metadata)).spec).toEqual({ width: 80, height: 200 });
      },
      { interval: 100 },
    );
    const { items } = await client.list(DoorV1, { namespace: 'default' });
    expect(items.find(({ metadata }) => metadata.name === `door-${attempts}`)?.spec).toEqual({ size: '80x200' });
  });

  it('WH-4: writes the conversion into the definition', async () => {
    const { spec } = await client.get(CustomResourceDefinition, { name: NAME });
    expect(spec.conversion?.webhook?.clientConfig).toEqual({
      url: `${running.url}/convert`,
      caBundle: running.caBundle,
    });
  });

  it('WH-6: refuses a version that the kind does not have', async () => {
    const object = { apiVersion: DoorV1.apiVersion, kind: 'Door', metadata: { name: 'a' }, spec: { size: '1x1' } };
    const request = { uid: 'u', desiredAPIVersion: 'home.example.com/v9', objects: [object] };
    const body = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };
    const { status, text } = await running.post('/convert', body);
    expect(status).toBe(400);
    expect(text).toContain('converts Door between home.example.com/v2, home.example.com/v1 only');
  });
});
