import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@mcr/core';
import { createClient, CustomResourceDefinition, LOCAL_CLUSTER } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import type { ControlPlane, ObjectManifest } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { Cart } from '../admission/cart.fixture.ts';
import { webhookFor } from '../admission/kind-webhook.ts';
import { conversion } from '../conversion/conversion.ts';
import { cartDefinition } from '../fleet.fixture.ts';
import { RunningWebhooks } from '../server/server.fixture.ts';
import type { ApplyWebhooks } from './cluster-installation.ts';
import { applyWebhooks } from './cluster-installation.ts';
import { installWebhooks } from './install-webhooks.ts';

const NAME = 'carts.shop.example.com';

describe('the report of an installation', () => {
  let controlPlane: ControlPlane;
  let client: ApiClient;

  beforeAll(async () => {
    controlPlane = await createControlPlane({});
    client = createClient(controlPlane.config);
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await controlPlane.stop();
  });

  const start = (user?: string) =>
    RunningWebhooks.start({
      config: user === undefined ? controlPlane.config : { ...controlPlane.config, impersonate: { user } },
      setUp: async (webhooks, manager) => {
        webhooks.register(conversion({ kind: Cart, convert: (object) => object }));
        await installWebhooks(manager, webhooks, { name: NAME, url: 'https://webhooks.example.com' });
      },
    });
  const status = ({ manager }: RunningWebhooks) => manager.fleet.get(LOCAL_CLUSTER);
  const warnings = ({ lines }: RunningWebhooks) => lines.filter(({ level }) => level === 'warn' || level === 'error');

  it('WH-4: names the verb, the resource and the manifest of a missing permission, and logs it once', async () => {
    await using running = await start('nobody');
    const reason =
      'the account needs the verbs get, patch on customresourcedefinitions.apiextensions.k8s.io carts.shop.example.com: ' +
      'apply manifests/rbac-member.yaml of @mcr/webhook with this name';
    await eventually(() =>
      expect(status(running)).toMatchObject({ phase: 'Degraded', reason: expect.stringContaining(reason) }),
    );
    const installs = () =>
      warnings(running).filter(({ message }) => message === 'failed to install webhooks, retrying');
    await eventually(() => expect(installs()).toHaveLength(1));
  });

  it('WH-4: waits for the definition of a conversion without an error', async () => {
    await using running = await start();
    const reason = `CRD ${NAME} does not exist: install it, for example with ensureCrds`;
    await eventually(() =>
      expect(status(running)).toMatchObject({ phase: 'Syncing', reason: expect.stringContaining(reason) }),
    );
    await client.create(CustomResourceDefinition, cartDefinition as ObjectManifest & CustomResourceDefinition);
    await eventually(() => expect(status(running)?.phase).toBe('Engaged'));
    const { spec } = await client.get(CustomResourceDefinition, { name: NAME });
    expect(spec.conversion?.strategy).toBe('Webhook');
    expect(status(running)).not.toHaveProperty('lastError');
    expect(warnings(running)).toEqual([]);
  });

  it('WH-4: reports a cluster that answers with another object', async () => {
    const unused = () => Promise.reject(new Error('unused'));
    const apply = () => Promise.resolve({ metadata: { name: 'other', uid: 'u' } });
    const applied = applyWebhooks({
      client: { apply, patch: unused, delete: unused } as unknown as ApplyWebhooks['client'],
      reader: { find: () => Promise.resolve(undefined) },
      name: NAME,
      owner: 'a',
      server: { webhooks: [webhookFor(Cart).validate({ create: () => undefined })], conversions: [] },
      input: { url: 'https://webhooks.example.com', cluster: '', excludedNamespaces: [] },
      signal: new AbortController().signal,
    });
    await expect(applied).rejects.toThrow(
      `the response of the cluster is not ValidatingWebhookConfiguration ${NAME}: check which server`,
    );
  });
});
