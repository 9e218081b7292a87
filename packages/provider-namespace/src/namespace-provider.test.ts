import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  ApiClient,
  Cluster,
  ConfigMap as ConfigMapObject,
  IndexExtractor,
  InformerAddEvent,
  InformerDeleteEvent,
  Manager,
  ObjectKey,
} from '@mcr/core';
import {
  ConfigMap,
  controllerManagedBy,
  createClient,
  createCluster,
  createManager,
  defineKind,
  Deployment,
  EventsV1Event,
  isClusterNotFound,
  isInvalid,
  isNotFound,
  Namespace,
  setControllerReference,
  setOwnerReference,
  silentLogger,
} from '@mcr/core';
import { eventually, VirtualClock } from '@mcr/core/testing';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { ALL_NAMESPACES, createNamespaceProvider, type NamespaceProvider } from './namespace-provider.ts';
import { notingTracer } from './noting-tracer.fixture.ts';

const Node = defineKind({ apiVersion: 'v1', kind: 'Node' });
const Scale = defineKind({ apiVersion: 'autoscaling/v1', kind: 'Scale' });

/** Unique for each test, so that tests do not share namespaces. */
let tenants: string;
let number = 0;

/** The requests of the manager's client, for example `watch configmaps`. */
let requestsSent: string[];

let hub: ControlPlane;
let admin: ApiClient;
let provider: NamespaceProvider;
let manager: Manager;
let stop: () => Promise<void>;

beforeAll(async () => {
  hub = await createControlPlane({ name: 'hub' });
  admin = createClient(hub.config);
});

afterAll(async () => {
  await admin.close();
  await hub.stop();
});

beforeEach(async () => {
  tenants = `tenants-${number++}`;
  requestsSent = [];
  provider = createNamespaceProvider({ labelSelector: `of=${tenants}` });
  manager = await createManager({
    config: hub.config,
    provider,
    tracer: notingTracer(requestsSent),
    logger: silentLogger,
    metrics: { bindAddress: '0' },
  });
});

afterEach(async () => {
  await stop();
});

function start(): void {
  const end = new AbortController();
  const started = manager.start(end.signal);
  stop = async () => {
    end.abort();
    await started;
  };
}

/** Creates a namespace whose name in this test is `short`. */
async function tenant(short: string): Promise<string> {
  const name = `${short}-${tenants}`;
  await admin.create(Namespace, { metadata: { name, labels: { of: tenants, tier: short } } });
  return name;
}

async function engaged(name: string): Promise<Cluster> {
  return eventually(() => provider.get(name));
}

describe('NamespaceProvider', () => {
  it('FP-3: refuses an owner in another namespace than its object, and writes nothing', async () => {
    start();
    const [blue, green] = await Promise.all([tenant('blue'), tenant('green')].map(async (name) => engaged(await name)));
    if (!blue || !green) throw new Error('expected two clusters');
    const [owner, child] = ['owner', 'child'].map((name) => ({ namespace: 'default', name })) as [ObjectKey, ObjectKey];
    const written = await blue.client.create(ConfigMap, { metadata: owner });
    const cached = await eventually(() => blue.client.get(ConfigMap, owner));
    const refusal =
      /^ConfigMap default\/owner of cluster "blue-.*" cannot own default\/child of cluster "green-.*": its/;
    for (const from of [written, cached, await blue.apiReader.get(ConfigMap, owner)]) {
      const draft = { metadata: { ...child } };
      setControllerReference(from, draft);
      await expect(green.client.create(ConfigMap, draft)).rejects.toThrow(refusal);
      await expect(green.client.apply(ConfigMap, draft, { fieldManager: 'test' })).rejects.toThrow(refusal);
      await expect(green.client.patch(ConfigMap, child, draft, 'merge')).rejects.toThrow(refusal);
    }
    expect(await green.apiReader.find(ConfigMap, child)).toBeUndefined();

    const object = await green.client.create(ConfigMap, { metadata: child });
    expect(() => setOwnerReference(cached, object)).toThrow(refusal);
    expect(object.metadata.ownerReferences).toBeUndefined();
  });

  it('FP-3: accepts an owner in the same namespace, or a cluster-scoped one of the host', async () => {
    start();
    const name = await tenant('blue');
    const { client, apiReader } = await engaged(name);
    const key = { namespace: 'default', name: 'owner' };
    const written = await client.create(ConfigMap, { metadata: key });
    const host = await provider.get(ALL_NAMESPACES);
    const owners = [
      written,
      await eventually(() => client.get(ConfigMap, key)),
      await apiReader.get(ConfigMap, key),
      await host.client.get(Namespace, { name }),
      await host.apiReader.get(Namespace, { name }),
    ];
    for (const [index, owner] of owners.entries()) {
      const draft = { metadata: { namespace: 'default', name: `child-${index}` } };
      setOwnerReference(owner, draft);
      const child = await client.create(ConfigMap, draft);
      expect(child.metadata.ownerReferences).toMatchObject([{ uid: owner.metadata.uid }]);
      setOwnerReference(owner, child);
      await client.update(ConfigMap, child);
    }
  });

  it('NS-1: reads and writes objects in "default", which are in the namespace of the host', async () => {
    start();
    const name = await tenant('blue');
    const { client, apiReader } = await engaged(name);
    const key = { namespace: 'default', name: 'palette' };

    const created = await client.create(ConfigMap, { metadata: key, data: { colour: 'red' } });
    expect(created.metadata.namespace).toBe('default');
    expect((await admin.get(ConfigMap, { namespace: name, name: 'palette' })).data).toEqual({ colour: 'red' });
    await eventually(async () => expect((await client.get(ConfigMap, key)).metadata.namespace).toBe('default'));
    const live = await apiReader.get(ConfigMap, key);
    expect(live.metadata).toMatchObject(key);

    const updated = await client.update(ConfigMap, { ...live, data: { colour: 'green' } });
    expect(updated.metadata.namespace).toBe('default');
    await client.patch(ConfigMap, key, { metadata: { namespace: 'default', labels: { a: '1' } } }, 'merge');
    await client.patch(
      ConfigMap,
      key,
      [
        { op: 'test', path: '/metadata/namespace', value: 'default' },
        { op: 'add', path: '/data/shade', value: 'dark' },
      ],
      'json',
    );
    expect((await apiReader.get(ConfigMap, key)).data).toEqual({ colour: 'green', shade: 'dark' });
    const items = (await apiReader.list(ConfigMap, { labelSelector: 'a=1' })).items;
    expect(items.map(({ metadata }) => metadata.namespace)).toEqual(['default']);

    await client.delete(ConfigMap, key);
    expect(await apiReader.find(ConfigMap, key)).toBeUndefined();
  });

  it('NS-1: rewrites server-side apply, status, subresources, tables and collections, too', async () => {
    start();
    const name = await tenant('blue');
    const { client, apiReader } = await engaged(name);
    const key = { namespace: 'default', name: 'web' };
    const applied = await client.apply(
      ConfigMap,
      { metadata: { ...key }, data: { applied: 'yes' } },
      { fieldManager: 'test' },
    );
    expect(applied.metadata.namespace).toBe('default');
    expect((await admin.get(ConfigMap, { namespace: name, name: 'web' })).data).toEqual({ applied: 'yes' });

    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web' }] } };
    const selector = { matchLabels: { app: 'web' } };
    const deployment = await client.create(Deployment, { metadata: key, spec: { replicas: 1, selector, template } });
    await client.status.patch(Deployment, key, { status: { replicas: 1 } }, 'merge');
    await client.status.update(Deployment, {
      ...(await apiReader.get(Deployment, key)),
      status: { replicas: 1, readyReplicas: 1 },
    });
    const scaled = await client.subresource('scale', Scale).patch(Deployment, key, { spec: { replicas: 3 } }, 'merge');
    expect(scaled.metadata.namespace).toBe('default');
    const outside = await admin.get(Deployment, { namespace: name, name: 'web' });
    expect(outside).toMatchObject({ spec: { replicas: 3 }, status: { readyReplicas: 1 } });
    expect(outside.metadata.uid).toBe(deployment.metadata.uid);

    const { rows } = await client.table(Deployment);
    expect(rows.map(({ object }) => object?.metadata)).toMatchObject([key]);

    await client.deleteCollection(ConfigMap, { namespace: 'default' });
    expect((await admin.list(ConfigMap, { namespace: name })).items).toEqual([]);
  });

  it('NS-1: a watch reports objects of this namespace, under the name "default"', async () => {
    start();
    const name = await tenant('blue');
    const other = await tenant('red');
    const { client } = await engaged(name);
    const end = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of client.watch(ConfigMap, { signal: end.signal })) {
        if (event.type === 'BOOKMARK' || event.type === 'ERROR') continue;
        seen.push(`${event.type} ${event.object.metadata.namespace}/${event.object.metadata.name}`);
      }
    })().catch(() => undefined);
    await admin.create(ConfigMap, { metadata: { namespace: other, name: 'elsewhere' } });
    await admin.create(ConfigMap, { metadata: { namespace: name, name: 'here' } });
    await admin.delete(ConfigMap, { namespace: name, name: 'here' });
    await eventually(() => expect(seen).toEqual(['ADDED default/here', 'DELETED default/here']));
    end.abort();
    await watching;
  });

  it('NS-1: reads of other namespaces and cluster-scoped kinds find nothing, and writes are invalid', async () => {
    start();
    const { client, apiReader, cache } = await engaged(await tenant('blue'));
    const elsewhere = { namespace: 'kube-system', name: 'x' };
    const failure = (promise: Promise<unknown>) => promise.then(String, (error: unknown) => error);
    for (const reader of [client, apiReader, cache]) {
      expect(isNotFound(await failure(reader.get(ConfigMap, elsewhere)))).toBe(true);
      expect(await reader.find(ConfigMap, elsewhere)).toBeUndefined();
      expect((await reader.list(ConfigMap, { namespace: 'kube-system' })).items).toEqual([]);
      expect(isNotFound(await failure(reader.get(Namespace, { name: 'default' })))).toBe(true);
      expect((await reader.list(Node)).items).toEqual([]);
    }
    const refused = [
      client.create(ConfigMap, { metadata: elsewhere }),
      client.update(ConfigMap, { metadata: elsewhere }),
      client.apply(ConfigMap, { metadata: elsewhere }, { fieldManager: 'test' }),
      client.patch(ConfigMap, elsewhere, {}, 'merge'),
      client.patch(ConfigMap, { namespace: 'default', name: 'x' }, { metadata: { namespace: 'other' } }, 'merge'),
      client.delete(ConfigMap, elsewhere),
      client.deleteCollection(ConfigMap, { namespace: 'kube-system' }),
      client.status.patch(ConfigMap, elsewhere, {}, 'merge'),
      client.subresource('scale', Scale).patch(Deployment, elsewhere, {}, 'merge'),
      client.create(Namespace, { metadata: { name: 'mine' } }),
    ];
    for (const refusal of await Promise.all(refused.map(failure))) expect(isInvalid(refusal)).toBe(true);
    expect(isNotFound(await failure(client.subresource('scale', Scale).get(Deployment, elsewhere)))).toBe(true);
    expect((await apiReader.list(ConfigMap, { fieldSelector: 'metadata.namespace=other' })).items).toEqual([]);
    expect((await apiReader.list(ConfigMap, { fieldSelector: 'metadata.namespace=default' })).items).toEqual([]);
  });

  it('NS-2: one watch serves the controllers of 200 namespaces', async () => {
    const requests: string[] = [];
    await controllerManagedBy(manager)
      .named(tenants)
      .for(ConfigMap)
      .complete(async ({ clusterName, namespace, name }, { cluster }) => {
        const found = await (await cluster()).client.get(ConfigMap, { namespace, name });
        requests.push(`${clusterName} ${found.metadata.namespace}/${name}`);
      });
    const names = await Promise.all(Array.from({ length: 200 }, (_, index) => tenant(`t${index}`)));
    const greeted = names.filter((_, index) => index % 10 === 0);
    for (const namespace of greeted) await admin.create(ConfigMap, { metadata: { namespace, name: 'greeting' } });
    start();
    await eventually(() => expect(provider.clusterNames()).toHaveLength(names.length));
    const expected = greeted.map((name) => `${name} default/greeting`).toSorted();
    await eventually(() => expect(requests.toSorted()).toEqual(expected));

    const late = await tenant('late');
    await admin.create(ConfigMap, { metadata: { namespace: late, name: 'greeting' } });
    await eventually(() => expect(requests).toContain(`${late} default/greeting`));
    expect(requestsSent.filter((request) => request === 'watch configmaps')).toHaveLength(1);
    expect(requestsSent.filter((request) => request === 'watch namespaces')).toHaveLength(1);
    expect(requestsSent.filter((request) => /^(list|get) configmaps/.test(request))).toEqual([]);
  });

  it('NS-2: a late handler receives all current objects, and a removed handler receives no more events', async () => {
    start();
    const name = await tenant('blue');
    const { cache, client } = await engaged(name);
    await client.create(ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
    const told = (log: string[]) => ({
      onAdd: ({ key: { namespace, name }, object: { metadata } }: InformerAddEvent<ConfigMapObject>) => {
        expect(metadata).toMatchObject({ namespace, name });
        log.push(`${namespace}/${name}`);
      },
      onDelete: ({ key: { name } }: InformerDeleteEvent<ConfigMapObject>) => void log.push(`-${name}`),
    });
    const first: string[] = [];
    const early = await cache.subscribe(ConfigMap, told(first));
    await early.synced;
    expect(first).toEqual(['default/a']);
    const { store } = early.informer;
    expect([store.size, store.count(), store.count('default'), store.count(name)]).toEqual([1, 1, 1, 0]);
    expect([...store.keys()]).toEqual([{ namespace: 'default', name: 'a' }]);
    expect([...store.keys(name)]).toEqual([]);
    expect(early.informer.store.get({ namespace: 'default', name: 'a' })?.metadata.namespace).toBe('default');
    expect(early.informer.store.get({ namespace: name, name: 'a' })).toBeUndefined();

    const second: string[] = [];
    const late = await cache.subscribe(ConfigMap, told(second));
    await late.synced;
    expect(second).toEqual(['default/a']);
    early.remove();
    await client.delete(ConfigMap, { namespace: 'default', name: 'a' });
    await eventually(() => expect(second).toEqual(['default/a', '-a']));
    expect(first).toEqual(['default/a']);
    late.remove();
  });

  it('NS-3: an index sees objects in "default", or in their own namespaces for the cluster "*"', async () => {
    const byColour: IndexExtractor<ConfigMap> = ({ metadata, data }) =>
      data?.['colour'] === undefined ? [] : [`${metadata.namespace}/${data['colour']}`];
    await provider.indexField(ConfigMap, 'colour', byColour);
    await provider.indexField(ConfigMap, 'colour', byColour);
    await expect(provider.indexField(ConfigMap, 'colour', () => [])).rejects.toThrow(
      'registered with another function',
    );
    start();
    const [blue, red] = [await tenant('blue'), await tenant('red')];
    for (const namespace of [blue, red]) {
      for (const [name, colour] of Object.entries({ sky: 'blue', sea: 'blue', sun: 'yellow' })) {
        await admin.create(ConfigMap, { metadata: { namespace, name }, data: { colour } });
      }
    }
    const index = { name: 'colour', value: 'default/blue' };
    const { client } = await engaged(blue);
    await eventually(async () => {
      const { items } = await client.list(ConfigMap, { index });
      expect(items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).toSorted()).toEqual([
        'default/sea',
        'default/sky',
      ]);
    });
    const all = await provider.get(ALL_NAMESPACES);
    await eventually(async () => {
      const { items } = await all.client.list(ConfigMap, { index: { name: 'colour', value: `${red}/blue` } });
      expect(items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).toSorted()).toEqual([
        `${red}/sea`,
        `${red}/sky`,
      ]);
    });
    await expect(client.list(ConfigMap, { index: { name: 'shape', value: '' } })).rejects.toThrow(
      'does not exist: create it with indexField',
    );
  });

  it('NS-3: an index by path sees objects in "default", or in their own namespaces for the cluster "*"', async () => {
    await provider.indexField(ConfigMap, 'namespace', '.metadata.namespace');
    await provider.indexField(ConfigMap, 'namespace', ['metadata', 'namespace']);
    await provider.indexField(ConfigMap, 'colour', '.data.colour');
    start();
    const name = await tenant('blue');
    await admin.create(ConfigMap, { metadata: { namespace: name, name: 'sky' }, data: { colour: 'blue' } });
    const clusters = [
      [await engaged(name), 'default'],
      [await provider.get(ALL_NAMESPACES), name],
    ] as const;
    for (const [{ client, cache, fieldIndexer }, namespace] of clusters) {
      await fieldIndexer.indexField(ConfigMap, 'colour', ['data', 'colour']);
      const index = [
        { name: 'namespace', value: namespace },
        { name: 'colour', value: 'blue' },
      ];
      await eventually(async () => {
        const { items } = await client.list(ConfigMap, { index });
        expect(items).toMatchObject([{ metadata: { namespace, name: 'sky' } }]);
      });
      await expect(cache.indexField(ConfigMap, 'shape', 'data.shape' as never)).rejects.toThrow(
        'without a leading dot',
      );
      await expect(cache.informer(ConfigMap, { labelselector: 'a=b' } as object)).rejects.toThrow('unknown option');
      const handler = { onAdd: () => undefined };
      await expect(cache.subscribe(ConfigMap, handler, { namespace: 'default' } as object)).rejects.toThrow(
        'unknown option "namespace"',
      );
    }
  });

  it('NS-3: events are recorded in the namespace of the host', async () => {
    start();
    const name = await tenant('blue');
    const cluster = await engaged(name);
    const palette = await cluster.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'palette' } });
    cluster
      .eventRecorder('test')
      .event(palette, { type: 'Normal', reason: 'Mixed', note: 'a colour', related: palette });
    await eventually(async () => {
      const [event] = (await admin.list(EventsV1Event, { namespace: name })).items;
      expect(event).toMatchObject({
        reason: 'Mixed',
        regarding: { namespace: name, name: 'palette' },
        related: { namespace: name, name: 'palette' },
      });
    });
  });

  it('NS-4: disengages a namespace that is being deleted or was deleted', async () => {
    start();
    const name = await tenant('blue');
    const held = { namespace: name, name: 'held', finalizers: ['test.mcr.dev/hold'] };
    await admin.create(ConfigMap, { metadata: held });
    await engaged(name);
    await admin.delete(Namespace, { name });
    await eventually(async () => expect(await provider.get(name).catch(isClusterNotFound)).toBe(true));
    expect(manager.fleet.get(name)).toMatchObject({ phase: 'Disengaged', reason: 'its namespace is being deleted' });
    await admin.patch(ConfigMap, { namespace: name, name: 'held' }, { metadata: { finalizers: null } }, 'merge');
    await eventually(async () => expect(await admin.find(Namespace, { name })).toBeUndefined());
    expect(provider.clusterNames()).toEqual([]);
  });

  it('PV-7: cluster.info has the labels of the namespace, and is updated with them', async () => {
    start();
    const name = await tenant('blue');
    const cluster = await engaged(name);
    expect(cluster.info).toMatchObject({
      provider: 'namespace',
      labels: { tier: 'blue' },
      origin: { kind: 'Namespace', metadata: { name } },
    });
    await admin.patch(Namespace, { name }, { metadata: { labels: { tier: 'gold' } } }, 'merge');
    await eventually(() => expect(cluster.info.labels['tier']).toBe('gold'));
    await admin.patch(Namespace, { name }, { metadata: { annotations: { note: 'changed' } } }, 'merge');
    await eventually(() => expect(cluster.info.origin?.metadata.annotations).toMatchObject({ note: 'changed' }));
    expect(await provider.get(name)).toBe(cluster);
    await expect(cluster.rotate(hub.config)).rejects.toThrow('rotate those of its host cluster');
  });

  it('refuses an unknown option, and requires a cluster', async () => {
    start();
    expect(() => createNamespaceProvider({ namespace: 'x' } as never)).toThrow('unknown option "namespace"');
    expect(() => createNamespaceProvider({ labelSelector: '' })).toThrow(
      'option "labelSelector": expected a label selector',
    );
    const aware = { engage: async () => undefined };
    await expect(createNamespaceProvider().run(aware, new AbortController().signal)).rejects.toThrow(
      'set option "cluster", or pass the provider to a manager',
    );
  });

  it('PV-5: engages a namespace again after its engagement was refused', async () => {
    start();
    const name = await tenant('blue');
    const clock = new VirtualClock();
    const { cluster } = manager.localManager;
    const again = createNamespaceProvider({ cluster, labelSelector: `of=${tenants}` });
    await again.setupWithManager({ clock, logger: silentLogger } as unknown as Manager);
    const end = new AbortController();
    let tries = 0;
    const engage = async (): Promise<void> => {
      if (++tries <= 2) throw new Error('a controller has no informer for it');
    };
    const run = again.run({ engage }, end.signal);
    for (const time of [1, 2]) {
      await eventually(() => expect(tries).toBe(time));
      await eventually(() => expect(again.clusterNames()).toEqual([]));
      await clock.advance(5_000);
    }
    await eventually(() => expect(again.clusterNames()).toEqual([name]));
    end.abort();
    await run;
    expect(clock.pendingTimers).toBe(0);
  });

  it('PV-2: can run again after it was stopped, on a cluster that the caller runs', async () => {
    start();
    const name = await tenant('blue');
    const own = createCluster(hub.config);
    const ofOwn = new AbortController();
    const running = own.run(ofOwn.signal);
    const again = createNamespaceProvider({ cluster: own, labelSelector: `of=${tenants}` });
    for (let time = 0; time < 2; time++) {
      const end = new AbortController();
      const engagedNames: string[] = [];
      const run = again.run({ engage: async (engagedName) => void engagedNames.push(engagedName) }, end.signal);
      await eventually(() => expect(engagedNames).toEqual([name]));
      end.abort();
      await run;
      expect(again.clusterNames()).toEqual([]);
    }
    ofOwn.abort();
    await running;
  });
});
