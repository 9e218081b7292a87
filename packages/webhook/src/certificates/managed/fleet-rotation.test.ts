import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@mcr/core';
import {
  createClient,
  createCluster,
  CustomResourceDefinition,
  InMemoryProvider,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
} from '@mcr/core';
import { VirtualClock } from '@mcr/core/testing';
import type { ControlPlaneFleet, FaultProxy } from '@mcr/envtest';
import { createControlPlaneFleet, createFaultProxy } from '@mcr/envtest';
import { Cart } from '../../admission/cart.fixture.ts';
import { webhookFor } from '../../admission/kind-webhook.ts';
import { conversion } from '../../conversion/conversion.ts';
import { cartDefinition } from '../../fleet.fixture.ts';
import { installWebhooks } from '../../install/install-webhooks.ts';
import { RunningWebhooks } from '../../server/server.fixture.ts';
import { newSecret } from './certificate-secret.ts';
import { issue } from './issue.ts';
import { firstState } from './rotation.ts';

const MINUTE = 60_000;
const policy = { hosts: ['127.0.0.1'], lifetime: 48 * MINUTE, overlap: 2 * MINUTE };
/** Step of the virtual time. Each waits for requests, so that time does not pass faster than the API servers answer. */
const STEP = 10_000;
const SECRET = { namespace: 'default', name: 'webhooks' };
const NAME = 'carts.shop.example.com';

describe('a rotation of managed certificates in a fleet', () => {
  let fleet: ControlPlaneFleet;
  let hub: ApiClient;
  let members: ApiClient[];
  let proxy: FaultProxy;

  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 2, crds: [cartDefinition] });
    hub = createClient(fleet.hub.config);
    members = fleet.members.map(({ config }) => createClient(config));
    proxy = await createFaultProxy({ target: (fleet.members[1] ?? fleet.hub).config });
  });
  afterAll(async () => {
    for (const client of [hub, ...members]) await client[Symbol.asyncDispose]();
    await proxy.stop();
    await fleet.stop();
  });

  /** Returns the authorities in each place of each member, in PEM. */
  const bundles = async (): Promise<string[]> => {
    const found = members.map(async (client) => {
      const validating = await client.find(ValidatingWebhookConfiguration, { name: NAME });
      const mutating = await client.find(MutatingWebhookConfiguration, { name: NAME });
      const { spec } = await client.get(CustomResourceDefinition, { name: NAME });
      const configs = [validating?.webhooks?.[0], mutating?.webhooks?.[0], spec.conversion?.webhook];
      return configs.map((each) => Buffer.from(each?.clientConfig?.caBundle ?? '', 'base64').toString());
    });
    return (await Promise.all(found)).flat();
  };
  const counts = async () => (await bundles()).map((text) => text.match(/BEGIN CERTIFICATE/gu)?.length ?? 0);
  const isIn = async (field: string) => Object.hasOwn((await hub.get(Secret, SECRET)).data ?? {}, field);
  /** Shakes hands as an API server does, and returns the fingerprint of the certificate. */
  const served = async ({ url }: RunningWebhooks, ca: string): Promise<string> => {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', ca });
    await once(socket, 'secureConnect');
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  };

  it('WH-3: gives every member both authorities, in its configurations and conversions, before the next certificate is served', async () => {
    const clock = new VirtualClock(Date.now());
    // A certificate that is due in 2 minutes.
    const old = await firstState({ issue, now: Date.now() - 30 * MINUTE, ...policy });
    await hub.create(Secret, newSecret(SECRET, old));
    const provider = new InMemoryProvider({ clock });
    await using running = await RunningWebhooks.start({
      ...{ clock, provider, config: fleet.hub.config },
      certificate: { ...policy, secret: SECRET },
      setUp: async (webhooks, manager) => {
        webhooks.register(
          webhookFor(Cart)
            .default(() => undefined)
            .validate({ create: () => undefined }),
        );
        webhooks.register(conversion({ kind: Cart, convert: (object) => object }));
        const url = 'https://127.0.0.1:9443';
        await installWebhooks(manager, webhooks, { name: NAME, url, failurePolicy: 'Ignore' });
      },
    });
    const configs = [fleet.members[0]?.config ?? fleet.hub.config, proxy.config];
    fleet.members.forEach(({ name }, index) => {
      const config = configs[index] ?? proxy.config;
      provider.set(name, () => createCluster(config, { name, clock }));
    });
    const certificates = new Set<string>();
    /** Passes one step. Every place of every member must trust the certificate that is served. */
    const pass = async () => {
      await clock.advance(STEP);
      for (const bundle of new Set(await bundles())) certificates.add(await served(running, bundle));
    };
    const until = async (what: string, condition: () => Promise<boolean>) => {
      for (let time = 0; !(await condition()); time += STEP) {
        if (time > 20 * MINUTE) throw new Error(`not within 20 minutes: ${what}`);
        await pass();
      }
    };
    for (let isInstalled = false; !isInstalled; isInstalled = !(await counts()).includes(0)) await clock.advance(100);
    expect(await counts()).toEqual([1, 1, 1, 1, 1, 1]);

    // The second member refuses writes from before the rotation on.
    proxy.inject({
      on: 'requests',
      match: { method: 'PATCH' },
      fault: { type: 'answer', status: 403, reason: 'Forbidden' },
    });
    await until('the rotation begins', () => isIn('serve-after'));
    await until('the first member has both', async () => (await counts()).join('') === '222111');
    for (let time = 0; time < 3 * policy.overlap; time += STEP) await pass();
    expect([await counts(), await isIn('drop-after'), certificates.size]).toEqual([[2, 2, 2, 1, 1, 1], false, 1]);

    proxy.heal();
    await until('the second member has both', async () => (await counts()).join('') === '222222');
    expect(certificates.size).toBe(1);
    await until('the next certificate is served', async () => certificates.size === 2);
    expect(await counts()).toEqual([2, 2, 2, 2, 2, 2]);
    await until('the previous authority is removed', async () => (await counts()).join('') === '111111');
    await pass();
    expect(certificates.size).toBe(2);
    expect(new Set(await bundles()).size).toBe(1);
  });
});
