import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, KubernetesObject } from '@mcr/core';
import {
  ClusterRole,
  ClusterRoleBinding,
  createClient,
  CustomResourceDefinition,
  defineKind,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { parse } from 'yaml';
import { Cart, cart } from './admission/cart.fixture.ts';
import { deny } from './admission/denial.ts';
import { webhookFor } from './admission/kind-webhook.ts';
import { conversion } from './conversion/conversion.ts';
import { cartDefinition } from './fleet.fixture.ts';
import { applyWebhooks, removeInstalled } from './install/cluster-installation.ts';
import { installWebhooks } from './install/install-webhooks.ts';
import { removeWebhooks } from './install/remove-webhooks.ts';
import { RunningWebhooks } from './server/server.fixture.ts';

interface CartV2 extends KubernetesObject {
  spec: { dimensions?: { size?: number } };
}
const CartV2 = defineKind<CartV2>({
  apiVersion: 'shop.example.com/v2',
  kind: 'Cart',
  plural: 'carts',
  scope: 'Namespaced',
});

/** The embedded server refuses integers that a number cannot hold. */
const huge = process.env['MCR_BACKEND'] === 'binaries' ? 9223372036854775807n : 9007199254740991;

const NAME = 'carts.shop.example.com';

/* Runs against the embedded API server, and with $MCR_BACKEND=binaries against kube-apiserver. */
describe('webhooks of an API server', () => {
  let controlPlane: ControlPlane;
  let running: RunningWebhooks;
  let client: ApiClient;
  const warnings: string[] = [];
  const users = new Set<string>();

  const carts = webhookFor(Cart)
    .default((object) => {
      object.spec.size ??= 3;
    })
    .validate({
      create: ({ metadata, spec }, { warn, request }) => {
        users.add(request.userInfo.username);
        if (request.dryRun) warn('this is a dry run');
        if (metadata.name === 'broken') throw new Error('the password is hunter2');
        return spec.size === 13
          ? deny('no unlucky sizes', { causes: [{ field: 'spec.size', message: 'not 13' }] })
          : undefined;
      },
      update: ({ spec }, old) => (spec.zone === old.spec.zone ? undefined : deny('spec.zone is immutable')),
      delete: (old) => (old.spec.zone === 'kept' ? deny('kept carts stay') : undefined),
    })
    .with({ matchConditions: [{ name: 'not-ignored', expression: `request.name != 'ignored'` }], timeoutSeconds: 5 });

  const converter = conversion({
    kind: Cart,
    convert: ({ apiVersion: _, ...object }, toVersion) => {
      const { spec = {} } = object as { readonly spec?: { size?: number; dimensions?: { size?: number } } };
      const size = spec.size ?? spec.dimensions?.size;
      const { size: _size, dimensions: _dimensions, ...rest } = spec;
      const converted = toVersion === CartV2.apiVersion ? { ...rest, dimensions: { size } } : { ...rest, size };
      return { ...object, apiVersion: toVersion, spec: converted } as KubernetesObject;
    },
  });

  beforeAll(async () => {
    controlPlane = await createControlPlane({ crds: [cartDefinition] });
    client = createClient(controlPlane.config, { onWarning: ({ text }) => warnings.push(text) });
    running = await RunningWebhooks.start({
      config: controlPlane.config,
      setUp: (webhooks) => {
        webhooks.register(carts);
        webhooks.register(converter);
      },
    });
    await installWebhooks(running.manager, running.webhooks, {
      name: NAME,
      url: running.url,
      clusters: { local: true, provider: false },
    });
    const synced = () => running.manager.fleet.get('')?.sources[`webhooks ${NAME}`]?.synced === true;
    await eventually(synced);
    // API servers notice configurations and definitions after a moment.
    await eventually(
      async () => {
        const probe = await client.create(Cart, cart({}, 'probe'), { dryRun: true });
        expect(probe.spec.size).toBe(3);
        await expect(client.create(Cart, cart({ size: 13 }, 'probe'), { dryRun: true })).rejects.toThrow('no unlucky');
        await client.list(CartV2, { limit: 1 });
      },
      { interval: 100 },
    );
  });
  afterAll(async () => {
    await running[Symbol.asyncDispose]();
    await client[Symbol.asyncDispose]();
    await controlPlane.stop();
  });

  it('WH-7: sets defaults with a patch that keeps large integers exact', async () => {
    const created = await client.create(Cart, cart({ huge }, 'defaults'));
    expect(created.spec).toEqual({ huge, size: 3 });
    expect(users.size).toBe(1);
  });

  it('WH-7: denies with the message, reason and causes of the validator', async () => {
    const denied = client.create(Cart, cart({ size: 13 }, 'denied'));
    await expect(denied).rejects.toMatchObject({
      status: 422,
      reason: 'Invalid',
      details: { causes: [{ field: 'spec.size', message: 'not 13' }] },
    });
    await expect(denied).rejects.toThrow('denied the request: no unlucky sizes: spec.size: not 13');
  });

  it('WH-7: validates updates and deletions', async () => {
    const created = await client.create(Cart, cart({ zone: 'kept' }, 'updates'));
    const moved = { ...created, spec: { ...created.spec, zone: 'b' } };
    await expect(client.update(Cart, moved)).rejects.toThrow('spec.zone is immutable');
    await expect(client.delete(Cart, { name: 'updates', namespace: 'default' })).rejects.toThrow('kept carts stay');
  });

  it('WH-7: applies the failure policy when a handler throws, and shows users no cause', async () => {
    const broken = client.create(Cart, cart({}, 'broken'), { timeout: 10_000, retry: 'never' });
    await expect(broken).rejects.toMatchObject({ status: 500 });
    await expect(broken).rejects.not.toThrow('hunter2');
    await expect(broken).rejects.toThrow('failed calling webhook');
  });

  it('WH-7: leaves out requests that match conditions exclude, and passes dry runs and warnings on', async () => {
    expect((await client.create(Cart, cart({}, 'ignored'))).spec.size).toBeUndefined();
    warnings.length = 0;
    await client.create(Cart, cart({}, 'dry'), { dryRun: true });
    expect(warnings).toEqual(['this is a dry run']);
  });

  it('WH-7: converts reads and writes of another version', async () => {
    await client.create(Cart, cart({ size: 4 }, 'converted'));
    const key = { name: 'converted', namespace: 'default' };
    const read = await client.get(CartV2, key);
    expect(read.spec).toEqual({ dimensions: { size: 4 } });
    await client.update(CartV2, { ...read, spec: { dimensions: { size: 5 } } });
    expect((await client.get(Cart, key)).spec.size).toBe(5);
    const { items } = await client.list(CartV2, { namespace: 'default' });
    expect(items.map(({ metadata }) => metadata.name)).toContain('converted');
  });

  it('WH-4: writes configurations that exclude kube-system, with the path and the CA bundle of the server', async () => {
    const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, { name: NAME });
    expect(webhooks).toMatchObject([
      {
        name: 'validating.v1.carts.shop.example.com',
        clientConfig: { url: `${running.url}/validate-shop-example-com-v1-cart`, caBundle: running.caBundle },
        failurePolicy: 'Fail',
        timeoutSeconds: 5,
        sideEffects: 'None',
        rules: [{ operations: ['CREATE', 'UPDATE', 'DELETE'], resources: ['carts'] }],
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] }],
        },
      },
    ]);
    const { spec } = await client.get(CustomResourceDefinition, { name: NAME });
    expect(spec.conversion).toMatchObject({
      strategy: 'Webhook',
      webhook: { clientConfig: { url: `${running.url}/convert` } },
    });
  });

  it('WH-4: takes over a conversion that pointed to a Service', async () => {
    const key = { name: 'carts.shop.example.com' };
    const service = { namespace: 'default', name: 'old', path: '/old', port: 443 };
    const clientConfig = { url: null, service, caBundle: running.caBundle };
    await client.patch(CustomResourceDefinition, key, { spec: { conversion: { webhook: { clientConfig } } } }, 'merge');
    const signal = AbortSignal.timeout(60_000);
    const owner = running.url;
    const input = { url: running.url, excludedNamespaces: [], failurePolicy: 'Fail', cluster: '' } as const;
    await applyWebhooks({ client, reader: client, name: NAME, owner, server: running.webhooks, input, signal });
    const installed = async () =>
      (await client.get(CustomResourceDefinition, key)).spec.conversion?.webhook?.clientConfig;
    expect(await installed()).toEqual({ url: `${running.url}/convert` });
    const { caCertificate } = running;
    await applyWebhooks({
      client,
      reader: client,
      name: NAME,
      owner,
      server: running.webhooks,
      input: { ...input, caBundle: caCertificate },
      signal,
    });
    expect(await installed()).toEqual({ url: `${running.url}/convert`, caBundle: running.caBundle });
  });

  it('WH-4: neither changes nor removes a configuration of another program', async () => {
    const name = 'foreign.shop.example.com';
    const metadata = { name, labels: { 'app.kubernetes.io/managed-by': 'Helm' } };
    const foreign = await client.create(ValidatingWebhookConfiguration, { metadata, webhooks: [] });
    const signal = AbortSignal.timeout(60_000);
    const owner = running.url;
    const input = { url: running.url, excludedNamespaces: [], failurePolicy: 'Fail', cluster: '' } as const;
    const server = running.webhooks;
    await expect(applyWebhooks({ client, reader: client, name, owner, server, input, signal })).rejects.toThrow(
      `ValidatingWebhookConfiguration ${name} belongs to another program: set another "name" in installWebhooks`,
    );
    await removeInstalled({ client, name, owner, signal });
    const none = { webhooks: [], conversions: [] };
    await applyWebhooks({ client, reader: client, name, owner, server: none, input, signal });
    const found = await client.get(ValidatingWebhookConfiguration, { name });
    expect(found.metadata.resourceVersion).toBe(foreign.metadata.resourceVersion);
    expect(await client.find(MutatingWebhookConfiguration, { name })).toBeUndefined();
    await client.delete(ValidatingWebhookConfiguration, { name });
  });

  it('WH-4: needs only the permissions of the manifest', async () => {
    const file = new URL('../manifests/rbac-member.yaml', import.meta.url);
    const role = parse(await readFile(file, 'utf8')) as ClusterRole;
    await client.create(ClusterRole, role);
    const { name } = role.metadata;
    await client.create(ClusterRoleBinding, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'installer' }],
    });
    const installer = createClient({ ...controlPlane.config, impersonate: { user: 'installer' } });
    const signal = AbortSignal.timeout(60_000);
    const owner = running.url;
    const input = { url: running.url, excludedNamespaces: [], failurePolicy: 'Fail', cluster: '' } as const;
    const install = (configuration: string) =>
      applyWebhooks({
        client: installer,
        reader: installer,
        name: configuration,
        owner,
        server: running.webhooks,
        input: { ...input, caBundle: running.caCertificate },
        signal,
      });
    await removeWebhooks(client, { name: NAME, signal });
    await eventually(() => install(NAME));
    expect(await client.find(MutatingWebhookConfiguration, { name: NAME })).toBeDefined();
    await expect(install('another')).rejects.toMatchObject({ status: 403 });
    await removeWebhooks(installer, { name: NAME, signal });
    await installer[Symbol.asyncDispose]();
  });

  it('WH-4: removes the configurations in an emergency', async () => {
    const signal = AbortSignal.timeout(60_000);
    const owner = running.url;
    const input = { url: running.url, excludedNamespaces: [], failurePolicy: 'Fail', cluster: '' } as const;
    await applyWebhooks({ client, reader: client, name: NAME, owner, server: running.webhooks, input, signal });
    const both = [`MutatingWebhookConfiguration ${NAME}`, `ValidatingWebhookConfiguration ${NAME}`];
    const manual = await client.create(ValidatingWebhookConfiguration, { metadata: { name: 'manual' }, webhooks: [] });
    expect(await removeWebhooks(client, { dryRun: true })).toEqual({ removed: both });
    expect(await client.find(MutatingWebhookConfiguration, { name: NAME })).toBeDefined();
    expect(await removeWebhooks(client)).toEqual({ removed: both });
    expect(await client.find(MutatingWebhookConfiguration, { name: NAME })).toBeUndefined();
    expect(await client.find(ValidatingWebhookConfiguration, { name: NAME })).toBeUndefined();
    expect(await removeWebhooks(client, { name: NAME })).toEqual({ removed: [] });
    expect(await client.find(ValidatingWebhookConfiguration, { name: 'manual' })).toEqual(manual);
    await expect(removeWebhooks(client, { name: '' })).rejects.toThrow('option "name"');
  });
});
