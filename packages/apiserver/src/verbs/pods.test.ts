import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const PODS = '/api/v1/namespaces/default/pods';
const SERVICES = '/api/v1/namespaces/default/services';

const pod = (name: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'main', image: 'one' }], ...spec },
});

describe('pods and services', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane();
    client = new RawClient(plane.config);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  const bind = (name: string, node: string): ReturnType<RawClient['post']> =>
    client.post(`${PODS}/${name}/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name },
      target: { kind: 'Node', name: node },
    });

  it('K-28: a Pod on a node is deleted after its grace period, and others at once', async () => {
    await client.post(PODS, pod('scheduled', { nodeName: 'n1', terminationGracePeriodSeconds: 20 }));
    const first = await client.delete(`${PODS}/scheduled`);
    expect(first.body.metadata).toMatchObject({ generation: 2, deletionGracePeriodSeconds: 20 });
    const later = await client.delete(`${PODS}/scheduled`, { gracePeriodSeconds: 60 });
    expect(later.body.metadata).toMatchObject({ deletionGracePeriodSeconds: 20 });
    const sooner = await client.delete(`${PODS}/scheduled?gracePeriodSeconds=5`);
    expect(sooner.body.metadata).toMatchObject({ deletionGracePeriodSeconds: 5 });
    expect(Date.parse(first.body.metadata.deletionTimestamp) - Date.parse(sooner.body.metadata.deletionTimestamp)).toBe(
      15_000,
    );
    expect((await client.delete(`${PODS}/scheduled`, { gracePeriodSeconds: 0 })).status).toBe(200);
    expect((await client.get(`${PODS}/scheduled`)).status).toBe(404);

    await client.post(PODS, pod('unscheduled'));
    const { body } = await client.delete(`${PODS}/unscheduled`);
    expect(body).toMatchObject({ kind: 'Pod', metadata: { deletionGracePeriodSeconds: 0 } });
    expect((await client.get(`${PODS}/unscheduled`)).status).toBe(404);
  });

  it.each(['/watched', '?fieldSelector=metadata.name%3Dwatched'])(
    'K-28: a watcher sees that a Pod is marked before it is gone, deleted at %s',
    async (path) => {
      const { body } = await client.post(PODS, pod('watched'));
      const watch = await client.watch(
        `${PODS}?watch=true&fieldSelector=metadata.name%3Dwatched&resourceVersion=${body.metadata.resourceVersion}`,
      );
      expect((await client.delete(`${PODS}${path}`)).status).toBe(200);
      const [marked, gone] = [await watch.next(), await watch.next()];
      watch.close();
      const deletion = { deletionTimestamp: expect.any(String) as unknown, deletionGracePeriodSeconds: 0 };
      expect(marked).toMatchObject({ type: 'MODIFIED', object: { metadata: deletion } });
      expect(gone).toMatchObject({ type: 'DELETED', object: { metadata: deletion } });
      expect(Number(gone?.object.metadata.resourceVersion)).toBeGreaterThan(
        Number(marked?.object.metadata.resourceVersion),
      );
    },
  );

  it('K-28: a Pod is marked for a moment, in which it can be read', async () => {
    await client.post(PODS, pod('marked'));
    jest.useFakeTimers({
      advanceTimers: false,
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'],
    });
    try {
      const deletion = client.delete(`${PODS}/marked`);
      let found = await client.get(`${PODS}/marked`);
      while (!('deletionTimestamp' in found.body.metadata)) found = await client.get(`${PODS}/marked`);
      jest.advanceTimersByTime(2);
      expect((await deletion).status).toBe(200);
      expect((await client.get(`${PODS}/marked`)).status).toBe(404);
    } finally {
      jest.useRealTimers();
    }
  });

  it('K-28: a finalizer keeps a Pod whose grace period is over', async () => {
    await client.post(PODS, pod('kept', {}, { finalizers: ['example.com/a'] }));
    await client.delete(`${PODS}/kept`);
    expect((await client.get(`${PODS}/kept`)).status).toBe(200);
    await client.patch(`${PODS}/kept`, { metadata: { finalizers: null } });
    expect((await client.get(`${PODS}/kept`)).status).toBe(404);
  });

  it('K-28: a binding assigns a Pod to a node once', async () => {
    await client.post(PODS, pod('bound'));
    expect((await bind('bound', 'n1')).status).toBe(201);
    const { body } = await client.get(`${PODS}/bound`);
    expect(body).toMatchObject({
      metadata: { generation: 1 },
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    expect(await bind('bound', 'n2')).toMatchObject({
      status: 409,
      body: {
        message: 'Operation cannot be fulfilled on pods/binding "bound": pod bound is already assigned to node "n1"',
      },
    });
    await client.post(PODS, pod('gated', { schedulingGates: [{ name: 'example.com/gate' }] }));
    expect((await bind('gated', 'n1')).body.message).toContain('pod gated has non-empty .spec.schedulingGates');
  });

  it('K-28: the log of a container is in an annotation', async () => {
    const log = 'one\ntwo\nthree\n';
    await client.post(PODS, pod('logged', { nodeName: 'n1' }, { annotations: { 'logs.mcr.dev/main': log } }));
    expect((await client.get(`${PODS}/logged/log`)).text).toBe(log);
    expect((await client.get(`${PODS}/logged/log?tailLines=2&limitBytes=5`)).text).toBe('two\nt');
    expect((await client.get(`${PODS}/logged/log?container=other`)).body.message).toBe(
      'container other is not valid for pod logged',
    );
    await client.post(PODS, pod('unscheduled', {}));
    const empty = await client.get(`${PODS}/unscheduled/log`);
    expect([empty.status, empty.headers['content-type']]).toEqual([204, undefined]);
    await client.post(PODS, pod('silent', { nodeName: 'n1' }));
    expect((await client.get(`${PODS}/silent/log`)).status).toBe(404);
    await client.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
    expect((await client.get(`${PODS}/silent/log`)).status).toBe(501);
  });

  it.each(['exec?command=sh', 'attach', 'portforward', 'proxy', 'proxy/a/b'])(
    'K-28: %s of a Pod is 501 where a real server dials, because no kubelet runs',
    async (subresource) => {
      await client.post(PODS, pod('unbound'));
      expect((await client.post(`${PODS}/unbound/${subresource}`, {})).status).toBe(400);
      const status = (fields: object): object => ({ status: fields });
      await client.post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'kubelet' } });
      const addresses = [{ type: 'InternalIP', address: '10.2.0.1' }];
      await client.patch('/api/v1/nodes/kubelet/status', status({ addresses }));
      await client.post(PODS, pod('connected', { nodeName: 'kubelet' }));
      await client.patch(`${PODS}/connected/status`, status({ podIP: '10.1.1.1', podIPs: [{ ip: '10.1.1.1' }] }));
      expect(await client.post(`${PODS}/connected/${subresource}`, {})).toMatchObject({
        status: 501,
        body: { kind: 'Status', reason: 'NotImplemented' },
      });
    },
  );

  it('K-28: a proxy to a Service is 501 once Endpoints name a Pod for its port, and 503 before', async () => {
    const [services, endpoints] = ['services', 'endpoints'].map((plural) => `/api/v1/namespaces/default/${plural}`);
    const named = { metadata: { name: 'proxied' }, apiVersion: 'v1' };
    await client.post(services ?? '', { ...named, kind: 'Service', spec: { ports: [{ name: 'web', port: 80 }] } });
    await client.post(PODS, pod('backend'));
    await client.patch(`${PODS}/backend/status`, { status: { podIP: '10.1.1.2', podIPs: [{ ip: '10.1.1.2' }] } });
    const addresses = [{ ip: '10.1.1.2', targetRef: { kind: 'Pod', namespace: 'default', name: 'backend' } }];
    const subsets = [{ addresses, ports: [{ name: 'web', port: 8080 }] }];
    await client.post(endpoints ?? '', { ...named, kind: 'Endpoints', subsets });
    const codes = await Promise.all(
      ['proxied:web', 'proxied:80', 'proxied', 'proxied:81'].map(
        async (name) => (await client.get(`${services}/${name}/proxy/`)).status,
      ),
    );
    expect(codes).toEqual([501, 501, 503, 503]);
  });

  it('K-28: ephemeral containers and resources of a Pod change through their subresources', async () => {
    await client.post(PODS, pod('parts'));
    const { body: debugged } = await client.patch(
      `${PODS}/parts/ephemeralcontainers`,
      { metadata: { labels: { a: 'b' } }, spec: { ephemeralContainers: [{ name: 'debug', image: 'two' }] } },
      'strategic-merge-patch',
    );
    expect(debugged).toMatchObject({ metadata: { generation: 2 }, spec: { ephemeralContainers: [{ name: 'debug' }] } });
    expect(debugged.metadata).not.toHaveProperty('labels');
    const containers = [{ name: 'main', image: 'one', resources: { requests: { cpu: '500m' } } }];
    await client.post(PODS, { metadata: { name: 'sized' }, spec: { containers } });
    const { body: resized } = await client.patch(
      `${PODS}/sized/resize`,
      { spec: { containers: [{ name: 'main', image: 'three', resources: { requests: { cpu: '1000m' } } }] } },
      'strategic-merge-patch',
    );
    expect(resized.spec).toMatchObject({ containers: [{ image: 'one', resources: { requests: { cpu: '1' } } }] });
  });

  it('K-28: allocates addresses and node ports of Services, and keeps them', async () => {
    const service = (name: string, spec: object): object => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { ports: [{ port: 80 }], ...spec },
    });
    const { body: own } = await client.get(`${SERVICES}/kubernetes`);
    expect(own.spec).toMatchObject({ clusterIP: '10.0.0.1', type: 'ClusterIP' });
    const { body: first } = await client.post(SERVICES, service('first', { type: 'NodePort' }));
    const { body: second } = await client.post(SERVICES, service('second', {}));
    const [a, b] = [first, second].map(({ spec }) => (spec as { clusterIP: string }).clusterIP);
    expect(a).toMatch(/^10\.0\.0\.\d+$/);
    expect(b).not.toBe(a);
    const nodePort = (first.spec as { ports: { nodePort: number }[] }).ports[0]?.nodePort;
    expect(nodePort).toBeGreaterThanOrEqual(30_000);
    const { body: replaced } = await client.put(`${SERVICES}/first`, service('first', { type: 'NodePort' }));
    expect(replaced.spec).toMatchObject({ clusterIP: a, ports: [{ nodePort }] });
    const taken = await client.post(SERVICES, service('third', { clusterIP: a }));
    expect(taken).toMatchObject({ status: 422 });
    expect(taken.body.message).toContain('provided IP is already allocated');
  });

  it('K-28: namespaces that every cluster needs are not deleted', async () => {
    const { status, body } = await client.delete('/api/v1/namespaces/default');
    expect(status).toBe(403);
    expect(body.message).toBe('namespaces "default" is forbidden: this namespace may not be deleted');
    expect((await client.delete('/api/v1/namespaces')).status).toBe(405);
  });

  it('K-28: serves autoscalers in both versions', async () => {
    const path = (version: string): string =>
      `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    await client.post(path('v2'), {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'both' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
          { type: 'Pods', pods: { metric: { name: 'rate' }, target: { type: 'AverageValue', averageValue: '5' } } },
        ],
        behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
      },
    });
    const { body: before } = await client.get(`${path('v2')}/both`);
    const { body: old } = await client.get(`${path('v1')}/both`);
    expect(old.spec).toEqual({ minReplicas: 1, maxReplicas: 3, scaleTargetRef, targetCPUUtilizationPercentage: 60 });
    await client.put(`${path('v1')}/both`, { ...old, spec: { ...(old.spec as object), maxReplicas: 4 } });
    const { body: after } = await client.get(`${path('v2')}/both`);
    const metrics = (spec: unknown): unknown[] => (spec as { metrics: unknown[] }).metrics;
    expect(after.spec).toEqual({
      ...(before.spec as object),
      maxReplicas: 4,
      // The version with one metric puts it last.
      metrics: metrics(before.spec).toReversed(),
    });
  });
});
