import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ApiClient, KubernetesObject } from '@mcr/client';
import { ConfigMap, createClient, Deployment, Secret, Service } from '@mcr/client';
import type { ControlPlane, ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import { eventually as eventuallyWithin } from '../../testing/eventually.ts';
import { APPLIED_ANNOTATION } from './placed-intent.ts';
import type { DesiredObject } from './placement-options.ts';
import { desired } from './placement-options.ts';
import { PLACEMENT_LABEL } from './placement-record.ts';
import { runPlacement } from './placement.fixture.ts';

const eventually = (condition: () => unknown) => eventuallyWithin(condition, { deadline: 60_000 });

describe('a placement in the steady state', () => {
  let fleet: ControlPlaneFleet;
  let plane: ControlPlane;
  let hub: ApiClient;
  let member: ApiClient;
  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 1 });
    [plane = fleet.hub] = fleet.members;
    hub = createClient(fleet.hub.config);
    member = createClient(plane.config);
  });
  afterAll(async () => {
    await hub.close();
    await member.close();
    await fleet.stop();
  });

  const key = (name: string) => ({ namespace: 'default', name });
  const create = (name: string, data: Record<string, string> = {}) =>
    hub.create(ConfigMap, { metadata: { ...key(name), labels: { placement: name } }, data });

  /** Starts a placement in one member, and counts its requests to it. */
  async function start(name: string, objects: (data: Readonly<Record<string, string>>) => DesiredObject[]) {
    let reconciles = 0;
    const running = await runPlacement(fleet.hub.config, name, {
      kinds: [ConfigMap, Secret, Service, Deployment],
      objects: ({ data = {} }) => {
        reconciles += 1;
        return objects(data);
      },
    });
    const recordReads = countRecordReads(running.manager.localManager.cluster);
    const cluster = running.join(plane);
    const requests = count(cluster);
    let round = 0;
    /** Reconciles until a reconcile has sent no request, and returns the requests since the last call. */
    const settle = async (): Promise<Requests> => {
      for (;;) {
        const before = { ...requests };
        await reconcileAgain();
        if (before.reads === requests.reads && before.writes === requests.writes) break;
      }
      const sent = { ...requests };
      requests.reads = 0;
      requests.writes = 0;
      return sent;
    };
    /** Causes two more reconciles. The first one has ended when the second one begins. */
    const reconcileAgain = async () => {
      for (let index = 0; index < 2; index += 1) {
        const seen = reconciles;
        round += 1;
        cluster.describe({ labels: { round: String(round) }, properties: {} });
        await eventually(() => reconciles > seen);
      }
    };
    return { running, cluster, requests, recordReads, reconcileAgain, settle };
  }

  it('FP-4: reconciles without a request while nothing changes, repairs drift with one write, and applies a change with one', async () => {
    await create('steady', { colour: 'red' });
    const { running, requests, reconcileAgain, settle } = await start('steady', (data) => [
      desired(ConfigMap, { metadata: key('steady-copy'), data }),
    ]);
    await using _ = running;
    await eventually(() => requests.writes === 1);
    expect((await settle()).writes).toBe(1);
    await reconcileAgain();
    expect(requests).toEqual({ reads: 0, writes: 0 });

    const colour = async () => (await member.get(ConfigMap, key('steady-copy'))).data?.['colour'];
    await member.patch(ConfigMap, key('steady-copy'), { data: { colour: 'grey' } }, 'merge');
    await eventually(async () => (await colour()) === 'red');
    expect((await settle()).writes).toBe(1);

    await hub.patch(ConfigMap, key('steady'), { data: { colour: 'blue' } }, 'merge');
    await eventually(async () => (await colour()) === 'blue');
    expect((await settle()).writes).toBe(1);

    // Fields of others are neither drift nor changed.
    const foreign = { metadata: { labels: { team: 'a' } }, data: { other: 'kept' } };
    await member.patch(ConfigMap, key('steady-copy'), foreign, 'merge');
    expect((await settle()).writes).toBe(0);
    expect(await member.get(ConfigMap, key('steady-copy'))).toMatchObject({
      ...foreign,
      data: { colour: 'blue', other: 'kept' },
    });
  });

  it('FP-4: writes nothing after a restart, and leaves an object with copied marks that the record does not name', async () => {
    await create('again');
    const declare = () => [desired(ConfigMap, { metadata: key('again-copy'), data: { colour: 'red' } })];
    const before = await start('again', declare);
    await eventually(() => before.requests.writes === 1);
    await before.settle();
    await before.running[Symbol.asyncDispose]();
    const after = await start('again', declare);
    await using _ = after.running;
    expect((await after.settle()).writes).toBe(0);

    const { metadata } = await member.get(ConfigMap, key('again-copy'));
    const { labels, annotations } = metadata;
    const stray = { labels: { ...labels }, annotations: { ...annotations } };
    await member.create(ConfigMap, { metadata: { ...key('again-stray'), ...stray }, data: {} });
    expect((await after.settle()).writes).toBe(0);
    expect(await member.find(ConfigMap, key('again-stray'))).toBeDefined();
  });

  it('FP-4: reads the record from the API server after a restart, and once after an event about an unknown object', async () => {
    await create('reads');
    const declare = () => [desired(ConfigMap, { metadata: key('reads-copy') })];
    const before = await start('reads', declare);
    await eventually(() => before.requests.writes === 1);
    await before.settle();
    await before.running[Symbol.asyncDispose]();
    const after = await start('reads', declare);
    await using _ = after.running;
    await after.settle();
    const first = after.recordReads.count;
    expect(first).toBeGreaterThan(0);
    await after.reconcileAgain();
    expect(after.recordReads.count).toBe(first);

    const { metadata } = await member.get(ConfigMap, key('reads-copy'));
    const marks = { labels: { ...metadata.labels }, annotations: { ...metadata.annotations } };
    await member.create(ConfigMap, { metadata: { ...key('reads-stray'), ...marks } });
    await eventually(() => after.recordReads.count > first);
    await after.reconcileAgain();
    expect(after.recordReads.count).toBe(first + 1);
  });

  it.each<[string, KubernetesObject, (client: ApiClient, name: string) => Promise<unknown>]>([
    [
      'a container',
      deployment('container'),
      (client, name) =>
        client.patch(
          Deployment,
          key(name),
          { spec: { template: { spec: { containers: [{ name: 'main', image: 'b' }] } } } },
          'strategic',
        ),
    ],
    [
      'a label of its template by force',
      deployment('template'),
      (client, name) =>
        client.apply(
          Deployment,
          { metadata: key(name), spec: { template: { metadata: { labels: { app: 'main', tier: 'b' } } } } },
          { fieldManager: 'other', force: true },
        ),
    ],
    [
      'a port',
      service('port'),
      (client, name) =>
        client.patch(Service, key(name), [{ op: 'replace', path: '/spec/ports/0/targetPort', value: 9 }], 'json'),
    ],
    [
      'its digest',
      service('digest'),
      (client, name) =>
        client.patch(Service, key(name), { metadata: { annotations: { [APPLIED_ANNOTATION]: null } } }, 'merge'),
    ],
    [
      'the label of its placement',
      service('label'),
      (client, name) =>
        client.patch(Service, key(name), { metadata: { labels: { [PLACEMENT_LABEL]: null } } }, 'merge'),
    ],
    [
      'the annotation of its owner',
      service('owner'),
      (client, name) =>
        client.patch(Service, key(name), { metadata: { annotations: { 'fleet.mcr.dev/owner': null } } }, 'merge'),
    ],
    [
      'text that the API server has encoded',
      secret('encoded'),
      (client, name) => client.patch(Secret, key(name), { data: { password: 'Yg==' } }, 'merge'),
    ],
  ])('FP-4: repairs %s with one write', async (_what, object, change) => {
    const { name } = object.metadata;
    const kind = [Deployment, Service, Secret].find((each) => each.kind === object.kind) ?? Secret;
    await create(name);
    const { running, settle } = await start(name, () => [
      desired(kind, { ...object, metadata: { ...object.metadata, ...key(`${name}-copy`) } }),
    ]);
    await using _ = running;
    const copy = async () => member.find(kind, key(`${name}-copy`));
    await eventually(async () => (await copy()) !== undefined);
    expect((await settle()).writes).toBe(1);
    const {
      generation: _generation,
      resourceVersion: _version,
      managedFields: _fields,
      ...expected
    } = (await copy())?.metadata ?? {};
    const spec = specOf(await copy());

    await change(member, `${name}-copy`);
    await eventually(async () => {
      expect(specOf(await copy())).toEqual(spec);
      expect((await copy())?.metadata).toMatchObject(expected);
    });
    expect((await settle()).writes).toBe(1);
  });
});

interface Requests {
  reads: number;
  writes: number;
}

/** Counts the requests of a placement to a member. */
function count({ client, apiReader }: Cluster): Requests {
  const requests = { reads: 0, writes: 0 };
  for (const [target, method, type] of [
    [client, 'apply', 'writes'],
    [client, 'delete', 'writes'],
    [client, 'patch', 'writes'],
    [client, 'create', 'writes'],
    [client, 'update', 'writes'],
    [apiReader, 'find', 'reads'],
    [apiReader, 'get', 'reads'],
    [apiReader, 'list', 'reads'],
  ] as const) {
    // Each of these methods is one of the target.
    const methods = target as unknown as Record<typeof method, (...args: unknown[]) => unknown>;
    const send = methods[method].bind(target);
    jest.spyOn(methods, method).mockImplementation((...args) => {
      requests[type] += 1;
      return send(...args);
    });
  }
  return requests;
}

/** Counts the reads of placement records from the API server of the hub. */
function countRecordReads({ apiReader }: Cluster): { count: number } {
  const reads = { count: 0 };
  const find = apiReader.find.bind(apiReader);
  const counted: typeof find = (kind, target, options) => {
    if (target.name.startsWith('mcr-placement-')) reads.count += 1;
    return find(kind, target, options);
  };
  jest.spyOn(apiReader, 'find').mockImplementation(counted);
  return reads;
}

function specOf(object: object | undefined): unknown {
  const { spec, data } = { ...object } as { spec?: unknown; data?: unknown };
  return [spec, data];
}

function deployment(name: string): KubernetesObject {
  const labels = { app: 'main', tier: 'a' };
  const containers = [
    { name: 'main', image: 'a', ports: [{ containerPort: 80 }], resources: { limits: { cpu: '1000m' } } },
  ];
  const template = { metadata: { labels }, spec: { containers, volumes: [{ name: 'tmp', emptyDir: {} }] } };
  const spec = { selector: { matchLabels: { app: 'main' } }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec } as unknown as KubernetesObject;
}

function service(name: string): KubernetesObject {
  const ports = [
    { name: 'web', port: 80, targetPort: 8080 },
    { name: 'tls', port: 443, protocol: 'TCP' },
  ];
  const spec = { selector: { app: 'main' }, ports };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec } as unknown as KubernetesObject;
}

function secret(name: string): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData: { password: 'a' },
  } as unknown as KubernetesObject;
}
