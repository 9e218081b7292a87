import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlanes } from '../control-plane.fixture.ts';
import type { Body } from '../raw-client.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';

const rbac = (kind: string, name: string, fields: object): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name },
  ...fields,
});

describe('access', () => {
  let hub: ControlPlane;
  let member: ControlPlane;
  let admin: RawClient;

  beforeAll(async () => {
    ({ hub, member } = await createControlPlanes());
    admin = new RawClient(hub.config);
  });
  afterAll(async () => {
    admin[Symbol.dispose]();
    await hub.stop();
  });

  const clientOf = async (user: string, groups: readonly string[] = []): Promise<RawClient> =>
    new RawClient(await hub.issueToken({ user, groups }));

  /** Grants a subject the permissions of a rule in the namespace `default`. */
  async function allow(name: string, subject: object, rule: object): Promise<void> {
    await admin.post(`${RBAC}/namespaces/default/roles`, rbac('Role', name, { rules: [rule] }));
    await admin.post(
      `${RBAC}/namespaces/default/rolebindings`,
      rbac('RoleBinding', name, { roleRef: { kind: 'Role', name }, subjects: [subject] }),
    );
  }

  it('K-21: a user without permissions gets 403 with the message of a real server', async () => {
    using client = await clientOf('jane');
    const list = await client.get('/api/v1/namespaces/default/configmaps');
    expect(list.status).toBe(403);
    expect(list.body).toMatchObject({
      kind: 'Status',
      reason: 'Forbidden',
      message:
        'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "default"',
      details: { kind: 'configmaps' },
      code: 403,
    });
    const messageOf = async (method: string, path: string): Promise<string> =>
      (await client.request(method, path)).body.message;
    expect(await messageOf('GET', '/apis/apps/v1/deployments?watch=true')).toBe(
      'deployments.apps is forbidden: User "jane" cannot watch resource "deployments" in API group "apps" at the cluster scope',
    );
    expect(await messageOf('PATCH', '/apis/apps/v1/namespaces/default/deployments/web/status')).toBe(
      'deployments.apps "web" is forbidden: User "jane" cannot patch resource "deployments/status" in API group "apps" in the namespace "default"',
    );
    expect(await messageOf('DELETE', '/api/v1/nodes')).toBe(
      'nodes is forbidden: User "jane" cannot deletecollection resource "nodes" in API group "" at the cluster scope',
    );
    expect(await messageOf('GET', '/api/v1/namespaces/kube-system')).toBe(
      'namespaces "kube-system" is forbidden: User "jane" cannot get resource "namespaces" in API group "" in the namespace "kube-system"',
    );
    expect(await messageOf('GET', '/apis/nowhere.io/v1/things')).toContain('things.nowhere.io is forbidden');
    expect(await messageOf('GET', '/metrics')).toBe('forbidden: User "jane" cannot get path "/metrics"');
  });

  it('K-21: every authenticated user can read discovery', async () => {
    using client = await clientOf('jane');
    for (const path of ['/api', '/api/v1', '/apis', '/apis/apps/v1', '/openapi/v3', '/version', '/readyz']) {
      expect([path, (await client.get(path)).status]).toEqual([path, 200]);
    }
  });

  it('K-21: anonymous users can read the version and health of a server, and nothing else', async () => {
    const { server, tls } = hub.config;
    using nobody = new RawClient({ server, ...(tls && { tls }) });
    for (const path of ['/version', '/version/', '/healthz', '/livez', '/readyz'])
      expect((await nobody.get(path)).status).toBe(200);
    for (const path of ['/api', '/metrics', '/livez/ping']) expect((await nobody.get(path)).status).toBe(401);
  });

  it('K-21: a Role grants its permissions in its namespace, to users, groups and service accounts', async () => {
    const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] };
    await allow('by-user', { kind: 'User', name: 'ann' }, rule);
    await allow('by-group', { kind: 'Group', name: 'readers' }, rule);
    await allow('by-account', { kind: 'ServiceAccount', name: 'robot', namespace: 'default' }, rule);
    using ann = await clientOf('ann');
    using bob = await clientOf('bob', ['readers']);
    using robot = await clientOf('system:serviceaccount:default:robot');
    using stranger = await clientOf('stranger', ['writers']);
    for (const client of [ann, bob, robot]) {
      expect((await client.get(CONFIG_MAPS)).status).toBe(200);
      expect((await client.get('/api/v1/configmaps')).status).toBe(403);
      expect((await client.get('/api/v1/namespaces/kube-system/configmaps')).status).toBe(403);
      expect((await client.post(CONFIG_MAPS, configMap('forbidden'))).status).toBe(403);
    }
    expect((await stranger.get(CONFIG_MAPS)).status).toBe(403);
    await admin.delete(`${RBAC}/namespaces/default/rolebindings/by-user`);
    expect((await ann.get(CONFIG_MAPS)).status).toBe(403);
  });

  it('K-21: names and subresources are granted separately', async () => {
    await admin.post(CONFIG_MAPS, configMap('mine'));
    await admin.post(CONFIG_MAPS, configMap('yours'));
    const rule = {
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: ['mine'],
      verbs: ['get', 'list', 'update'],
    };
    await allow('by-name', { kind: 'User', name: 'carl' }, rule);
    await allow(
      'status-only',
      { kind: 'User', name: 'carl' },
      {
        apiGroups: ['apps'],
        resources: ['deployments/status', '*/scale'],
        verbs: ['get'],
      },
    );
    using client = await clientOf('carl');
    expect((await client.get(`${CONFIG_MAPS}/mine`)).status).toBe(200);
    expect((await client.get(`${CONFIG_MAPS}/yours`)).status).toBe(403);
    expect((await client.get(CONFIG_MAPS)).status).toBe(403);
    expect((await client.get(`${CONFIG_MAPS}?fieldSelector=metadata.name%3Dmine`)).status).toBe(200);
    const deployment = '/apis/apps/v1/namespaces/default/deployments/x';
    expect((await client.get(deployment)).status).toBe(403);
    expect((await client.get(`${deployment}/status`)).status).toBe(404);
    expect((await client.get(`${deployment}/scale`)).status).toBe(404);
  });

  it('K-21: a ClusterRole applies to all namespaces with a ClusterRoleBinding, and to one with a RoleBinding', async () => {
    const subject = (name: string): object => ({ kind: 'User', name });
    const roleRef = { kind: 'ClusterRole', name: 'view' };
    await admin.post(
      `${RBAC}/clusterrolebindings`,
      rbac('ClusterRoleBinding', 'w', { roleRef, subjects: [subject('wide')] }),
    );
    await admin.post(
      `${RBAC}/namespaces/kube-system/rolebindings`,
      rbac('RoleBinding', 'n', { roleRef, subjects: [subject('narrow')] }),
    );
    using wide = await clientOf('wide');
    using narrow = await clientOf('narrow');
    expect((await wide.get('/api/v1/configmaps')).status).toBe(200);
    expect((await wide.get('/api/v1/secrets')).status).toBe(403);
    expect((await narrow.get('/api/v1/namespaces/kube-system/pods')).status).toBe(200);
    expect((await narrow.get('/api/v1/pods')).status).toBe(403);
    const moved = await admin.patch(`${RBAC}/clusterrolebindings/w`, { roleRef: { name: 'edit' } });
    expect(moved.status).toBe(422);
  });

  it('K-21: system:masters has all permissions', async () => {
    using client = await clientOf('root', ['system:masters']);
    expect((await client.get('/api/v1/secrets')).status).toBe(200);
  });

  it('K-21: a client certificate authenticates its user, in the cluster that it was issued for', async () => {
    const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['list'] };
    await allow('by-certificate', { kind: 'Group', name: 'certified' }, rule);
    const config = await hub.issueCertificate({ user: 'dora', groups: ['certified', 'others'] });
    using client = new RawClient(config);
    const self = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { status, body } = await client.post(`${AUTHENTICATION}/selfsubjectreviews`, self);
    expect(status).toBe(201);
    expect(body.status).toEqual({
      userInfo: { username: 'dora', groups: ['certified', 'others', 'system:authenticated'] },
    });
    expect((await client.get(CONFIG_MAPS)).status).toBe(200);
    using elsewhere = new RawClient({ ...config, server: member.config.server });
    expect((await elsewhere.get(CONFIG_MAPS)).status).toBe(401);
    using bare = new RawClient({ server: config.server, tls: { caData: config.tls?.caData ?? '' } });
    expect((await bare.get(CONFIG_MAPS)).status).toBe(401);
  });

  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const tokenRequest = (spec: object = {}): object => ({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec,
  });

  it('K-21: a TokenRequest issues a token that authenticates a service account for as long as the account exists', async () => {
    await admin.post(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'runner' } });
    const before = Date.now();
    const { status, body } = await admin.post(`${accounts}/runner/token`, tokenRequest({ expirationSeconds: 600 }));
    expect(status).toBe(201);
    const { token, expirationTimestamp } = body.status as { token: string; expirationTimestamp: string };
    // Times have whole seconds.
    expect(expirationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Date.parse(expirationTimestamp) - before).toBeGreaterThan(599_000);
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ sub: 'system:serviceaccount:default:runner', exp: expect.any(Number) });

    const review = async (): Promise<Body> =>
      (
        await admin.post(`${AUTHENTICATION}/tokenreviews`, {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          spec: { token },
        })
      ).body;
    expect((await review()).status).toMatchObject({
      authenticated: true,
      user: {
        username: 'system:serviceaccount:default:runner',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      },
    });
    using client = new RawClient({ ...hub.config, auth: { type: 'token', token } });
    const forbidden = await client.get(CONFIG_MAPS);
    expect(forbidden.body.message).toContain('User "system:serviceaccount:default:runner" cannot list');
    await admin.delete(`${accounts}/runner`);
    expect((await client.get(CONFIG_MAPS)).status).toBe(401);
    expect((await review()).status).toEqual({
      user: {},
      error: '[invalid bearer token, serviceaccounts "runner" not found]',
    });
  });

  it('K-21: a TokenRequest for less than ten minutes, or for an unknown service account, is refused', async () => {
    await admin.post(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'brief' } });
    const { status, body } = await admin.post(`${accounts}/brief/token`, tokenRequest({ expirationSeconds: 10 }));
    expect([status, body.message]).toEqual([
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 10: may not specify a duration less than 10 minutes',
    ]);
    expect((await admin.post(`${accounts}/nobody/token`, tokenRequest())).status).toBe(404);
  });

  it('K-21: access reviews report what other users, and the caller itself, may do', async () => {
    const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
    await allow('reviewed', { kind: 'User', name: 'eve' }, rule);
    const resourceAttributes = { verb: 'get', resource: 'configmaps', namespace: 'default' };
    const ask = async (client: RawClient, kind: string, spec: object): Promise<unknown> => {
      const body = { apiVersion: 'authorization.k8s.io/v1', kind, spec };
      return (await client.post(`${AUTHORIZATION}/${kind.toLowerCase()}s`, body)).body.status;
    };
    const granted = {
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "reviewed/default" of Role "reviewed" to User "eve"',
    };
    expect(await ask(admin, 'SubjectAccessReview', { user: 'eve', resourceAttributes })).toEqual(granted);
    const inOther = { ...resourceAttributes, namespace: 'kube-system' };
    expect(await ask(admin, 'SubjectAccessReview', { user: 'eve', resourceAttributes: inOther })).toEqual({
      allowed: false,
    });
    using eve = await clientOf('eve');
    expect(await ask(eve, 'SelfSubjectAccessReview', { resourceAttributes })).toEqual(granted);
    const nonResourceAttributes = { verb: 'get', path: '/metrics' };
    expect(await ask(eve, 'SelfSubjectAccessReview', { nonResourceAttributes })).toEqual({ allowed: false });
    expect(await ask(eve, 'SelfSubjectRulesReview', { namespace: 'default' })).toMatchObject({
      resourceRules: expect.arrayContaining([rule]),
    });
    const forbidden = await eve.post(`${AUTHORIZATION}/subjectaccessreviews`, {});
    expect(forbidden.body.reason).toBe('Forbidden');
    expect((await admin.get(`${AUTHORIZATION}/subjectaccessreviews`)).status).toBe(405);
  });

  it('K-21: a user with permission to impersonate acts with the permissions of the other user', async () => {
    await allow(
      'impersonated',
      { kind: 'Group', name: 'team' },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['list'] },
    );
    const rules = [{ apiGroups: [''], resources: ['users'], resourceNames: ['gil'], verbs: ['impersonate'] }];
    await admin.post(`${RBAC}/clusterroles`, rbac('ClusterRole', 'speaker', { rules }));
    await admin.post(
      `${RBAC}/clusterrolebindings`,
      rbac('ClusterRoleBinding', 'speaker', {
        roleRef: { kind: 'ClusterRole', name: 'speaker' },
        subjects: [{ kind: 'User', name: 'speaker' }],
      }),
    );
    using speaker = await clientOf('speaker');
    const asGil = await speaker.get(CONFIG_MAPS, { 'impersonate-user': 'gil' });
    expect(asGil.body.message).toContain('User "gil" cannot list');
    const withGroup = await speaker.get(CONFIG_MAPS, { 'impersonate-user': 'gil', 'impersonate-group': 'team' });
    expect(withGroup.body.message).toBe(
      'groups "team" is forbidden: User "speaker" cannot impersonate resource "groups" in API group "" at the cluster scope',
    );
    const other = await speaker.get(CONFIG_MAPS, { 'impersonate-user': 'ann' });
    expect(other.body.message).toContain('cannot impersonate resource "users"');
    const allowed = await admin.get(CONFIG_MAPS, { 'impersonate-user': 'gil', 'impersonate-group': 'team' });
    expect(allowed.status).toBe(200);
    const account = 'system:serviceaccount:default:robot';
    const asAccount = await speaker.get(CONFIG_MAPS, { 'impersonate-user': account });
    expect(asAccount.body.message).toContain(
      'cannot impersonate resource "serviceaccounts" in API group "" in the namespace "default"',
    );
    const userless = await admin.get(CONFIG_MAPS, { 'impersonate-group': 'team' });
    expect(userless.status).toBe(400);
    const self = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { body } = await admin.request('POST', `${AUTHENTICATION}/selfsubjectreviews`, {
      body: self,
      headers: { 'impersonate-user': 'gil', 'impersonate-uid': '42', 'impersonate-extra-scopes': 'a' },
    });
    expect(body.status).toEqual({
      userInfo: { username: 'gil', uid: '42', groups: ['system:authenticated'], extra: { scopes: ['a'] } },
    });
  });

  it('K-22: a throttled server refuses the given number of requests with 429 and Retry-After', async () => {
    await hub.throttle({ requests: 2, retryAfterSeconds: 3 });
    const answers = [await admin.get(CONFIG_MAPS), await admin.post(CONFIG_MAPS, configMap('late'))];
    for (const { status, headers, text } of answers) {
      expect([status, headers['retry-after'], text]).toEqual([
        429,
        '3',
        'Too many requests, please try again later.\n',
      ]);
    }
    expect((await admin.get(CONFIG_MAPS)).status).toBe(200);
    expect((await admin.get(`${CONFIG_MAPS}/late`)).status).toBe(404);
    await hub.throttle({ requests: 5 });
    expect((await admin.get(CONFIG_MAPS)).headers['retry-after']).toBe('1');
    await hub.throttle({ requests: 0 });
    expect((await admin.get(CONFIG_MAPS)).status).toBe(200);
  });
});
