import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, RawClient } from '../raw-client.fixture.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases/new';
const REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'new' } };
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } };

/** Request for a certificate with the subject `O=system:masters, CN=x`. */
const MASTERS_REQUEST = `-----BEGIN CERTIFICATE REQUEST-----
MIHfMIGHAgEAMCUxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQowCAYDVQQDDAF4
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE347WPZqX+ArL5UJe4FzLRPBgRAqZ
3bfs+UqHDOY9t1IhnyqJ3NmTE+DpqMPe/XSF3vFn1FR9fIYpfo4+kClUjKAAMAoG
CCqGSM49BAMCA0cAMEQCIGhaX6Vw4wVWfWg9PH0dN4nh4KBFtXwoCkjZIEOjm05T
AiB+YhhUAZ+7i0h3/XGkrIrbhAL2b/WrZRalgh8oaLQTKA==
-----END CERTIFICATE REQUEST-----
`;

describe('permissions of requests', () => {
  let plane: ControlPlane;
  let admin: RawClient;
  let writer: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane();
    admin = new RawClient(plane.config);
    const rules = [{ apiGroups: ['*'], resources: ['leases', 'configmaps'], verbs: ['update', 'patch'] }];
    await admin.post(`${RBAC}/clusterroles`, { metadata: { name: 'writer' }, rules });
    await admin.post(`${RBAC}/clusterrolebindings`, {
      metadata: { name: 'writer' },
      roleRef: { kind: 'ClusterRole', name: 'writer' },
      subjects: [{ kind: 'User', name: 'wanda' }],
    });
    writer = new RawClient(await plane.issueToken({ user: 'wanda' }));
  });
  afterAll(async () => {
    for (const client of [writer, admin]) client[Symbol.dispose]();
    await plane.stop();
  });

  it('K-21: an update that creates an object needs the permission to create it', async () => {
    const why =
      'leases.coordination.k8s.io "new" is forbidden: User "wanda" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "default"';
    for (const path of [LEASE, `${LEASE}?dryRun=All`]) {
      const { status, body } = await writer.put(path, lease);
      expect([status, body.message]).toEqual([403, why]);
    }
    const invalid = await writer.put(LEASE, { ...lease, spec: { leaseDurationSeconds: -1 } });
    expect(invalid.status).toBe(422);
    expect((await admin.put(LEASE, lease)).status).toBe(201);
    expect((await writer.put(LEASE, { ...lease, spec: { holderIdentity: 'wanda' } })).status).toBe(422);
    const { body: created } = await admin.get(LEASE);
    expect((await writer.put(LEASE, { ...created, spec: { holderIdentity: 'wanda' } })).status).toBe(200);
  });

  it('K-21: an apply that creates an object needs the permission to create it', async () => {
    const { status, body } = await writer.apply(`${CONFIG_MAPS}/new`, configMap, 'wanda');
    expect([status, body.message]).toEqual([
      403,
      'configmaps "new" is forbidden: User "wanda" cannot create resource "configmaps" in API group "" in the namespace "default"',
    ]);
    expect((await admin.apply(`${CONFIG_MAPS}/new`, configMap, 'admin')).status).toBe(201);
    expect((await writer.apply(`${CONFIG_MAPS}/new`, configMap, 'wanda')).status).toBe(200);
  });

  async function groupsOf(user: string, group?: string): Promise<unknown> {
    const { status, body } = await admin.request('POST', REVIEWS, {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      headers: { 'impersonate-user': user, ...(group !== undefined && { 'impersonate-group': group }) },
    });
    return status === 201 ? (body.status as { userInfo: { groups: string[] } }).userInfo.groups : status;
  }

  it('K-21: an impersonated user has the groups that the request names, and those of all users', async () => {
    const account = 'system:serviceaccount:default:robot';
    expect(await groupsOf('bob', 'g')).toEqual(['g', 'system:authenticated']);
    expect(await groupsOf(account)).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:default',
      'system:authenticated',
    ]);
    expect(await groupsOf(account, 'g')).toEqual(['g', 'system:authenticated']);
    expect(await groupsOf('system:serviceaccount:De_f:robot')).toEqual(['system:authenticated']);
  });

  it('K-21: an impersonated user without authentication is not in the group of authenticated users', async () => {
    expect(await groupsOf('system:anonymous')).toBe(403);
    expect(await groupsOf('bob', 'system:unauthenticated')).toBe(403);
    expect(await groupsOf('system:anonymous', 'system:authenticated')).toEqual([
      'system:authenticated',
      'system:unauthenticated',
    ]);
  });

  it('K-21: an unknown header of impersonation is ignored', async () => {
    const { status } = await admin.get(CONFIG_MAPS, { 'impersonate-other': 'x' });
    expect(status).toBe(200);
  });

  it('K-21: a request for a client certificate may not ask for the group system:masters', async () => {
    const create = (signerName: string): ReturnType<RawClient['post']> =>
      admin.post('/apis/certificates.k8s.io/v1/certificatesigningrequests', {
        metadata: { name: 'masters' },
        spec: { signerName, usages: ['client auth'], request: Buffer.from(MASTERS_REQUEST).toString('base64') },
      });
    const { status, body } = await create('kubernetes.io/kube-apiserver-client');
    expect([status, body.message]).toEqual([
      403,
      'certificatesigningrequests.certificates.k8s.io "masters" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    ]);
    expect((await create('example.com/signer')).status).toBe(201);
  });

  it('K-21: an approval of a request for a certificate needs the permission on its signer', async () => {
    const resources = ['certificatesigningrequests/approval'];
    const group = { apiGroups: ['certificates.k8s.io'] };
    const grant = (rules: readonly object[]): ReturnType<RawClient['put']> =>
      admin.put(`${RBAC}/clusterroles/approver`, { metadata: { name: 'approver' }, rules });
    const rule = { ...group, resources, verbs: ['update', 'patch'] };
    await admin.post(`${RBAC}/clusterroles`, { metadata: { name: 'approver' }, rules: [rule] });
    await admin.post(`${RBAC}/clusterrolebindings`, {
      metadata: { name: 'approver' },
      roleRef: { kind: 'ClusterRole', name: 'approver' },
      subjects: [{ kind: 'User', name: 'wanda' }],
    });
    const approve = (): ReturnType<RawClient['patch']> =>
      writer.patch('/apis/certificates.k8s.io/v1/certificatesigningrequests/masters/approval', {
        status: { conditions: [{ type: 'Approved', status: 'True', reason: 'test' }] },
      });
    const { status, body } = await approve();
    expect([status, body.message]).toEqual([
      403,
      'certificatesigningrequests.certificates.k8s.io "masters" is forbidden: user not permitted to approve requests with signerName "example.com/signer"',
    ]);
    const signers = { ...group, resources: ['signers'], resourceNames: ['example.com/*'], verbs: ['approve'] };
    await grant([rule, signers]);
    expect((await approve()).status).toBe(200);
  });
});
