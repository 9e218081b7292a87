import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const CORE = '/api/v1';
const BINDINGS = `${CORE}/namespaces/default/bindings`;
const STATUSES = `${CORE}/componentstatuses`;
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

describe('core collections without stored objects', () => {
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

  it('K-28: a Binding of a namespace assigns the Pod that it names', async () => {
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'a', image: 'b' }] } };
    await client.post(`${CORE}/namespaces/default/pods`, pod);
    const bind = async (name: string, kind = 'Node') =>
      (await client.post(BINDINGS, { metadata: { name }, target: { kind, name: 'n' } })).body;
    expect(await bind('absent')).toMatchObject({ code: 404, message: 'pods "absent" not found' });
    expect(await bind('')).toMatchObject({ code: 400, message: 'Name parameter required.' });
    expect(await bind('p', 'X')).toMatchObject({
      code: 500,
      message: 'target.kind: Unsupported value: "X": supported values: "Node", "<empty>"',
    });
    expect(await bind('p')).toMatchObject({ status: 'Success', code: 201 });
    const { body } = await client.get(`${CORE}/namespaces/default/pods/p`);
    expect(body).toMatchObject({ spec: { nodeName: 'n' } });
    expect(await bind('p')).toMatchObject({ code: 409 });
    expect((await client.get(BINDINGS)).status).toBe(405);
  });

  it('K-18: a Table without objects has null rows if its kind has no columns of its own', async () => {
    const rows = async (path: string): Promise<unknown> => (await client.get(path, TABLE)).body.rows;
    expect(await rows(`${CORE}/namespaces/default/limitranges`)).toBeNull();
    expect(await rows(`${CORE}/namespaces/default/secrets`)).toEqual([]);
    const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
    await client.post(roles, { metadata: { name: 'r' } });
    expect(await rows(roles)).toHaveLength(1);
  });

  it('K-20: the statuses of components are those of a control plane without controllers', async () => {
    const { body, headers } = await client.get(STATUSES);
    expect(headers['warning']).toBe('299 - "v1 ComponentStatus is deprecated in v1.19+"');
    const { items } = body as unknown as { readonly items: readonly object[] };
    expect(items).toContainEqual({
      metadata: { name: 'etcd-0' },
      conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
    });
    expect(items).toHaveLength(3);
    expect((await client.get(`${STATUSES}/scheduler`, TABLE)).body).toMatchObject({
      rows: [{ cells: ['scheduler', 'Unhealthy', expect.stringContaining('connection refused'), ''] }],
    });
    expect((await client.get(`${STATUSES}/x`)).body).toMatchObject({ message: 'componentstatus "x" not found' });
    expect((await client.get(`${STATUSES}?watch=true`)).status).toBe(405);
    expect((await client.post(STATUSES, {})).status).toBe(405);
  });

  it('K-28: deleting a Service deletes the Endpoints of the same name', async () => {
    const [services, endpoints] = ['services', 'endpoints'].map((plural) => `${CORE}/namespaces/default/${plural}`);
    const metadata = { name: 's' };
    await client.post(services ?? '', { metadata, spec: { ports: [{ port: 1 }] } });
    await client.post(endpoints ?? '', { metadata });
    await client.request('DELETE', `${services}/s`);
    expect((await client.get(`${endpoints}/s`)).status).toBe(404);
  });

  it('K-28: a Service gets an address of a ServiceCIDR that was added', async () => {
    const ranges = '/apis/networking.k8s.io/v1/servicecidrs';
    const choose = async (name: string) => {
      const spec = { clusterIP: '10.9.0.5', ports: [{ port: 1 }] };
      return (await client.post(`${CORE}/namespaces/default/services`, { metadata: { name }, spec })).status;
    };
    expect(await choose('early')).toBe(422);
    await client.post(ranges, { metadata: { name: 'more' }, spec: { cidrs: ['10.9.0.0/24'] } });
    expect(await choose('late')).toBe(201);
    expect(await choose('taken')).toBe(422);
  });

  it('K-21: the bootstrap roles are those of kube-apiserver, and aggregated ones grant the rules of others', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1';
    const { body } = await client.get(`${roles}/clusterroles?labelSelector=kubernetes.io/bootstrapping=rbac-defaults`);
    expect((body as unknown as { readonly items: readonly object[] }).items).toHaveLength(68);
    expect((await client.get(`${roles}/clusterroles/admin`)).body).toMatchObject({ rules: null });
    await client.post(`${roles}/clusterrolebindings`, {
      metadata: { name: 'b' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
      subjects: [{ kind: 'User', name: 'u' }],
    });
    const spec = { user: 'u', resourceAttributes: { verb: 'list', resource: 'pods' } };
    const review = await client.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec });
    expect(review.body).toMatchObject({ status: { allowed: true } });
  });
});
