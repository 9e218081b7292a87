import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@mcr/core';
import {
  createClient,
  createCluster,
  createManager,
  CustomResourceDefinition,
  defineKind,
  InMemoryProvider,
  Lease,
  silentLogger,
  ValidatingWebhookConfiguration,
} from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { Cart } from '../admission/cart.fixture.ts';
import { webhookFor } from '../admission/kind-webhook.ts';
import type { Conversion } from '../conversion/conversion.ts';
import { conversion } from '../conversion/conversion.ts';
import { cartDefinition } from '../fleet.fixture.ts';
import { RunningWebhooks } from '../server/server.fixture.ts';
import { createWebhookServer } from '../server/webhook-server.ts';
import { installWebhooks } from './install-webhooks.ts';
import type { InstallWebhooksOptions } from './installation-options.ts';

const NAME = 'fleet.shop.example.com';
const carts = webhookFor(Cart).validate({ create: () => undefined });

describe('installWebhooks in a fleet', () => {
  let controlPlane: ControlPlane;
  let client: ApiClient;
  const end = new AbortController();
  const provider = new InMemoryProvider();
  let stopped: Promise<void>;
  let sourceOf: () => unknown;

  beforeAll(async () => {
    controlPlane = await createControlPlane({});
    client = createClient(controlPlane.config);
    await using running = await RunningWebhooks.start({});
    const caBundle = running.caCertificate;
    const manager = await createManager({
      config: 'none',
      provider,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    const server = await createWebhookServer(manager, {
      certificate: { certDir: running.certDir },
      bindAddress: '127.0.0.1:0',
      drainDelay: 0,
    });
    server.register(carts);
    await installWebhooks(manager, server, {
      name: NAME,
      url: 'https://webhooks.example.com:9443/base/',
      failurePolicy: 'Ignore',
      excludedNamespaces: ['carts-system'],
      caBundle,
      removalDelay: 50,
      checkInterval: 20,
    });
    sourceOf = () => manager.fleet.get('fleet/eu.1')?.sources[`webhooks ${NAME}`];
    stopped = manager.start(end.signal);
    await server.listening;
  });
  afterAll(async () => {
    end.abort();
    await stopped;
    await client[Symbol.asyncDispose]();
    await controlPlane.stop();
  });

  const find = () => client.find(ValidatingWebhookConfiguration, { name: NAME });
  const present = async () => (await find()) ?? false;
  const join = () => provider.set('fleet/eu.1', () => createCluster(controlPlane.config, { name: 'fleet/eu.1' }));

  it('WH-4: installs into a cluster that joins, with its name in the path, and reports it in the fleet status', async () => {
    join();
    const { webhooks } = await eventually(present);
    expect(webhooks).toMatchObject([
      {
        failurePolicy: 'Ignore',
        clientConfig: {
          url: 'https://webhooks.example.com:9443/base/clusters/fleet~2feu~2e1/validate-shop-example-com-v1-cart',
        },
        namespaceSelector: { matchExpressions: [{ operator: 'NotIn', values: ['kube-system', 'carts-system'] }] },
      },
    ]);
    await eventually(() => expect(sourceOf()).toMatchObject({ synced: true }));
  });

  it('WH-4: repairs configurations that were changed or deleted', async () => {
    await client.patch(ValidatingWebhookConfiguration, { name: NAME }, { webhooks: [] }, 'merge');
    await eventually(async () => expect((await find())?.webhooks).toHaveLength(1));
    await client.delete(ValidatingWebhookConfiguration, { name: NAME });
    await eventually(present);
  });

  it('WH-4: removes the configurations of a cluster that leaves', async () => {
    void provider.delete('fleet/eu.1');
    await eventually(async () => expect(await find()).toBeUndefined());
  });

  it('WH-4: keeps the configurations when the manager stops', async () => {
    join();
    await eventually(present);
    end.abort();
    await stopped;
    expect(await find()).toBeDefined();
  });
});

describe('installWebhooks of two programs', () => {
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

  const start = async (
    options: Pick<InstallWebhooksOptions, 'url' | 'owner'> & { readonly name?: string },
    registered: typeof carts | Conversion = carts,
  ) => {
    const provider = new InMemoryProvider();
    const running = await RunningWebhooks.start({
      provider,
      setUp: async (webhooks, manager) => {
        webhooks.register(registered);
        const intervals = { checkInterval: 20, removalDelay: 20 };
        await installWebhooks(manager, webhooks, { name: NAME, failurePolicy: 'Ignore', ...intervals, ...options });
      },
    });
    provider.set('eu-1', () => createCluster(controlPlane.config, { name: 'eu-1' }));
    const status = () => running.manager.fleet.get('eu-1');
    return { running, provider, status };
  };
  const installedUrl = async () => {
    const found = await client.find(ValidatingWebhookConfiguration, { name: NAME });
    return found?.webhooks?.[0]?.clientConfig.url?.replace(/\.example\.com.*/, '');
  };

  it('WH-4: leaves the configuration of another program alone, and names it in the fleet status', async () => {
    const first = await start({ url: 'https://a.example.com/' });
    await using _a = first.running;
    await eventually(async () => expect(await installedUrl()).toBe('https://a'));
    const second = await start({ url: 'https://b.example.com' });
    await using _b = second.running;
    const reason = 'belongs to another program, https://a.example.com: set another "name" in installWebhooks';
    await eventually(() =>
      expect(second.status()).toMatchObject({ phase: 'Degraded', reason: expect.stringContaining(reason) }),
    );
    expect(first.status()?.phase).toBe('Engaged');
    void second.provider.delete('eu-1');
    await eventually(() =>
      expect(second.running.logged('removed the webhooks of a cluster that left the fleet')).toHaveLength(1),
    );
    expect(await installedUrl()).toBe('https://a');
  });

  it('WH-4: leaves the conversion of another program alone, and names it in the fleet status', async () => {
    const definition = await client.create(CustomResourceDefinition, cartDefinition as never);
    const name = definition.metadata.name;
    const find = () => client.get(CustomResourceDefinition, { name });
    const converter = conversion({ kind: Cart, convert: (object) => object });
    const first = await start({ url: 'https://d.example.com', name: 'd.example.com' }, converter);
    await using _d = first.running;
    await eventually(() => expect(first.status()?.phase).toBe('Engaged'));
    const second = await start({ url: 'https://e.example.com', name: 'e.example.com' }, converter);
    await using _e = second.running;
    const reason = `the conversion of CRD ${name} belongs to another program, https://d.example.com: install it`;
    await eventually(() =>
      expect(second.status()).toMatchObject({ phase: 'Degraded', reason: expect.stringContaining(reason) }),
    );
    expect(first.status()?.phase).toBe('Engaged');
    const { metadata, spec } = await find();
    expect(metadata.annotations).toMatchObject({ 'mcr.dev/webhooks-owner': 'https://d.example.com' });
    expect(spec.conversion?.webhook?.clientConfig?.url).toBe('https://d.example.com/clusters/eu-1/convert');

    const annotations = { 'mcr.dev/webhooks-owner': null };
    await client.patch(CustomResourceDefinition, { name }, { metadata: { annotations } }, 'merge');
    await eventually(async () =>
      expect((await find()).metadata.annotations).toHaveProperty(['mcr.dev/webhooks-owner']),
    );
  });

  it('WH-4: takes over the configuration of its owner at another address', async () => {
    const { running } = await start({ url: 'https://c.example.com', owner: 'https://a.example.com' });
    await using _ = running;
    await eventually(async () => expect(await installedUrl()).toBe('https://c'));
  });
});

describe('the options of installWebhooks', () => {
  const url = 'https://webhooks.example.com';
  const install = async (options: InstallWebhooksOptions, kind = Cart) => {
    await using running = await RunningWebhooks.start({
      setUp: (webhooks) => webhooks.register(webhookFor(kind).validate({ create: () => undefined })),
    });
    await installWebhooks(running.manager, running.webhooks, options);
  };

  it.each<[string, InstallWebhooksOptions, string]>([
    ['neither url nor service', { name: NAME }, 'exactly one of the options "url" and "service"'],
    ['text', { name: NAME, url: 'a' }, 'option "url": expected an address such as "https://webhooks.example.com:9443"'],
    ['a host', { name: NAME, url: 'a.example.com' }, 'fragment, found a string that is not a URL'],
    ['http', { name: NAME, url: 'http://a' }, 'fragment, found another scheme than https'],
    ['a user', { name: NAME, url: 'https://a:b@c' }, 'fragment, found an address with a user'],
    ['a query', { name: NAME, url: `${url}?a=b` }, 'fragment, found an address with a query'],
    ['an empty query', { name: NAME, url: `${url}?` }, 'fragment, found an address with a query'],
    ['a fragment', { name: NAME, url: `${url}/#` }, 'fragment, found an address with a fragment'],
    [
      'no failure policy for a fleet',
      { name: NAME, url, clusters: { local: true, provider: true } },
      'option "failurePolicy": choose "Fail" or "Ignore"',
    ],
    [
      'a Service for other clusters',
      { name: NAME, service: { namespace: 'a', name: 'b' }, clusters: { provider: true }, failurePolicy: 'Fail' },
      'option "clusters": not allowed with the option "service"',
    ],
    [
      'a bundle that is not PEM',
      { name: NAME, url, caBundle: 'abc' },
      'option "caBundle": expected certificates in PEM',
    ],
  ])('WH-4: refuses %s', async (_, options, message) => {
    await expect(install(options)).rejects.toThrow(message);
  });

  it('WH-4: refuses a server without webhooks', async () => {
    await using running = await RunningWebhooks.start({});
    const options = { name: NAME, url, failurePolicy: 'Ignore' } as const;
    await expect(installWebhooks(running.manager, running.webhooks, options)).rejects.toThrow(
      'installWebhooks: the server has no webhooks: call webhooks.register before installWebhooks',
    );
  });

  it('WH-4: refuses Leases, and kinds without a plural', async () => {
    const leases = install(
      { name: NAME, url, clusters: { local: true, provider: false } },
      Lease as unknown as typeof Cart,
    );
    await expect(leases).rejects.toThrow('coordination.k8s.io/v1 Lease is not installed');
    const nameless = defineKind<Cart>({ apiVersion: 'shop.example.com/v1', kind: 'Cart' });
    await expect(install({ name: NAME, url, clusters: { local: true, provider: false } }, nameless)).rejects.toThrow(
      'set plural in defineKind',
    );
  });
});
