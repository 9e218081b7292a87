import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@mcr/client';
import { ConfigMap, createClient, Deployment, Scale, Secret, SelfSubjectAccessReview, silentLogger } from '@mcr/client';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { controllerManagedBy } from '../controller/builder/builder.ts';
import { createCluster } from '../fleet/cluster/create-cluster.ts';
import { createManager } from '../manager/create-manager.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import { eventually } from './eventually.ts';
import { PermissionRecorder } from './permission-recorder.ts';

const key = { namespace: 'default', name: 'cart' };
const spec = {
  selector: { matchLabels: { app: 'cart' } },
  template: { metadata: { labels: { app: 'cart' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
};

/** Returns the accesses as text, for example `local: get configmaps default/cart`. */
function textOf({ accesses }: PermissionRecorder): string[] {
  return accesses.map(({ in: origin, verb, resource, namespace, name }) =>
    [`${origin}: ${verb} ${resource}`, namespace && ` ${namespace}/`, name && (namespace ? name : ` ${name}`)].join(''),
  );
}

/** Lets the recorder see the answer to a `get` of a Secret. */
function answer(recorder: PermissionRecorder, name: string, status: number): void {
  const attributes = {
    'http.request.method': 'GET',
    'mcr.verb': 'get',
    'mcr.resource': 'secrets',
    'k8s.object.name': name,
  };
  recorder.startActiveSpan('', { attributes }, (span) => span.setAttribute('http.response.status_code', status));
}

describe('PermissionRecorder', () => {
  let plane: ControlPlane;
  let admin: ApiClient;
  beforeAll(async () => {
    plane = await createControlPlane();
    admin = createClient(plane.config);
  });
  afterAll(async () => {
    await admin.close();
    await plane.stop();
  });

  it('WB-3: records what the requests of a client need', async () => {
    const recorder = new PermissionRecorder();
    await using client = createClient(plane.config, { tracer: recorder, clusterName: 'eu-1' });
    await client.find(ConfigMap, key);
    await client.find(ConfigMap, key);
    await client.list(ConfigMap, { namespace: 'default', fieldSelector: 'metadata.name=cart' });
    await client.apply(ConfigMap, { metadata: key, data: { a: '1' } }, { fieldManager: 'test' });
    await client.apply(Deployment, { metadata: key, spec }, { fieldManager: 'test' });
    await client.subresource('scale', Scale).patch(Deployment, key, { spec: { replicas: 2 } }, 'merge');
    await client.deleteCollection(Deployment, { namespace: 'default' });
    await client.create(SelfSubjectAccessReview, {
      metadata: { name: '' },
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
    });
    const end = new AbortController();
    for await (const { type } of client.watch(ConfigMap, { signal: end.signal })) {
      expect(type).toBe('ADDED');
      break;
    }
    expect(textOf(recorder)).toEqual([
      'members: get configmaps default/cart',
      'members: list configmaps default/cart',
      'members: patch configmaps default/cart',
      'members: create configmaps default/cart',
      'members: patch deployments.apps default/cart',
      'members: create deployments.apps default/cart',
      'members: patch deployments.apps/scale default/cart',
      'members: deletecollection deployments.apps default/',
      'members: watch configmaps',
    ]);
    expect(recorder.accesses[0]).toMatchObject({ granted: 2, forbidden: 0 });
  });

  it('WB-3: counts what is granted and forbidden, but not what fails for another reason', async () => {
    const recorder = new PermissionRecorder();
    const tracer = recorder;
    const { config } = plane;
    await using invalid = createClient(config, { tracer });
    await invalid.create(ConfigMap, { metadata: { ...key, name: 'A_B' } }).catch(() => undefined);
    await using anonymous = createClient({ ...config, auth: { type: 'token', token: 'wrong' } }, { tracer });
    await anonymous.get(Secret, { ...key, name: 'key' }).catch(() => undefined);
    answer(recorder, 'till', 403);
    answer(recorder, 'till', 404);
    expect(recorder.accesses.map(({ granted, forbidden }) => [granted, forbidden])).toEqual([
      [0, 0],
      [0, 0],
      [1, 1],
    ]);
    expect(textOf(recorder)).toEqual([
      'local: create configmaps default/',
      'local: get secrets default/key',
      'local: get secrets till',
    ]);
  });

  it('WB-3: reports what a manager uses in its local cluster and in members, and does not declare', async () => {
    const recorder = new PermissionRecorder();
    const provider = new InMemoryProvider();
    provider.set('eu-1', createCluster(plane.config, { name: 'eu-1', tracer: recorder }));
    const manager = await createManager({
      config: plane.config,
      provider,
      tracer: recorder,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
      leaderElection: { id: 'carts', namespace: 'default' },
    });
    await admin.create(Secret, { metadata: { ...key, name: 'key' } });
    await controllerManagedBy(manager)
      .for(Secret, { namespaces: ['default'] })
      .requires({ kind: ConfigMap, verbs: ['create', 'delete'] })
      .complete(async ({ namespace, name }, { cluster }) => {
        const { client } = await cluster();
        await client.apply(ConfigMap, { metadata: { namespace, name } }, { fieldManager: 'test' });
        const { apiReader } = manager.localManager.cluster;
        await apiReader.get(ConfigMap, { namespace, name });
      });
    const end = new AbortController();
    const stopped = manager.start(end.signal);
    try {
      await eventually(() =>
        recorder.accesses.some(({ verb, resource }) => verb === 'get' && resource === 'configmaps'),
      );
      // The watch may be opened after the list has been reconciled.
      await eventually(() =>
        recorder.accesses.some(({ verb, resource }) => verb === 'watch' && resource === 'secrets'),
      );
    } finally {
      end.abort();
      await stopped;
    }
    const { missing, unused } = recorder.report(manager);
    expect(missing).toEqual([
      {
        in: 'members',
        resource: 'configmaps',
        verbs: ['patch'],
        objects: ['default/key'],
        add: ".requires({ kind: ConfigMap, verbs: ['patch'], in: 'members' })",
      },
      {
        in: 'local',
        resource: 'configmaps',
        verbs: ['get'],
        objects: ['default/key'],
        add: ".requires({ kind: ConfigMap, verbs: ['get'], in: 'local' })",
      },
    ]);
    expect(unused.filter(({ neededBy }) => neededBy.startsWith('controller'))).toEqual([
      { in: 'members', resource: 'configmaps', verbs: ['delete'], neededBy: 'controller "secret": requires()' },
    ]);
  });

  it('WB-3: refuses to report on more accesses than it can hold', async () => {
    const recorder = new PermissionRecorder();
    for (let index = 0; index <= 100_000; index++) answer(recorder, `key-${index}`, 200);
    expect(recorder.accesses).toHaveLength(100_000);
    const manager = await createManager({ config: plane.config, metrics: { bindAddress: '0' } });
    expect(() => recorder.report(manager)).toThrow('use one recorder for each test');
  });
});
