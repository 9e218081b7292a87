import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';
import { convertWith, WebhookServer } from '../webhooks/webhook-server.fixture.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';

describe('validating admission policies', () => {
  let webhooks: WebhookServer;
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    webhooks = await WebhookServer.start();
    plane = await createControlPlane();
    client = new RawClient(plane.config);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
    await webhooks[Symbol.asyncDispose]();
  });

  async function install(name: string, spec: object, binding: object = {}): Promise<void> {
    const policy = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: {
          objectSelector: { matchLabels: { case: name } },
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
        },
        ...spec,
      },
    };
    const bound = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'], ...binding },
    };
    expect((await client.post(`${GROUP}/validatingadmissionpolicies`, policy)).body.message).toBeUndefined();
    expect((await client.post(`${GROUP}/validatingadmissionpolicybindings`, bound)).body.message).toBeUndefined();
  }

  const create = (name: string, data: Readonly<Record<string, string>> = {}) =>
    client.post(CONFIG_MAPS, configMap(name, data, { labels: { case: name } }));

  it('K-27: audit annotations have a cost budget of their own', async () => {
    // Its cost is 990 * 990 of 10,000,000.
    const expression = 'object.data.text.contains(object.data.text)';
    await install('annotated', {
      validations: Array.from({ length: 10 }, () => ({ expression })),
      auditAnnotations: [{ key: 'found', valueExpression: `string(${expression})` }],
    });
    expect((await create('annotated', { text: 'x'.repeat(9_900) })).status).toBe(201);
  });

  it('K-27: a policy denies requests with its message and reason', async () => {
    await install('deny', {
      variables: [{ name: 'size', expression: 'object.data.size()' }],
      validations: [
        {
          expression: 'variables.size < 2',
          messageExpression: '"size " + string(variables.size)',
          reason: 'Forbidden',
        },
      ],
    });
    expect((await create('deny', { a: '1' })).status).toBe(201);
    const { status, body } = await client.patch(`${CONFIG_MAPS}/deny`, { data: { b: '2' } });
    expect([status, body.reason, body.message]).toEqual([
      403,
      'Forbidden',
      `configmaps "deny" is forbidden: ValidatingAdmissionPolicy 'deny' with binding 'deny' denied request: size 2`,
    ]);
  });

  it('K-27: the parameters of a policy are custom resources, in the version of the policy', async () => {
    const version = (name: string, storage: boolean, properties: object): object => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: 'object', properties } },
    });
    const limit = { type: 'integer' };
    const convert = convertWith(({ apiVersion, kind, metadata, ...object }) => ({
      apiVersion,
      kind,
      metadata,
      max: (object as { limit?: number }).limit,
    }));
    await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'limits.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'limits', kind: 'Limit' },
        versions: [version('v1', true, { limit }), version('v2', false, { max: limit })],
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: webhooks.serve('/limits', convert), conversionReviewVersions: ['v1'] },
        },
      },
    });
    await client.post('/apis/example.com/v1/limits', {
      apiVersion: 'example.com/v1',
      kind: 'Limit',
      metadata: { name: 'l' },
      limit: 1,
    });
    await install(
      'params',
      {
        paramKind: { apiVersion: 'example.com/v2', kind: 'Limit' },
        validations: [
          { expression: 'object.data.size() <= params.max', messageExpression: '"max " + string(params.max)' },
        ],
      },
      { paramRef: { name: 'l', parameterNotFoundAction: 'Deny' } },
    );
    expect((await create('params', { a: '1', b: '2' })).body.message).toContain('denied request: max 1');
    expect((await create('params', { a: '1' })).status).toBe(201);
  });

  it('K-27: expressions can ask what the user may do', async () => {
    await install('permissions', {
      validations: [
        { expression: 'authorizer.group("").resource("secrets").namespace("default").check("list").allowed()' },
      ],
    });
    expect((await create('permissions')).status).toBe(201);
    await client.delete(`${CONFIG_MAPS}/permissions`);
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const role = { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] };
    await client.post(`${rbac}/clusterroles`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'writer' },
      rules: [role],
    });
    await client.post(`${rbac}/clusterrolebindings`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'writer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'writer' },
      subjects: [{ kind: 'User', name: 'jane' }],
    });
    using jane = new RawClient(await plane.issueToken({ user: 'jane' }));
    const { body } = await jane.post(CONFIG_MAPS, configMap('permissions', {}, { labels: { case: 'permissions' } }));
    expect(body.message).toContain('denied request: failed expression: authorizer.group');
  });

  it('K-27: an expression that costs too much fails', async () => {
    const list = `[${Array.from({ length: 30 }, (_, index) => index).join(',')}]`;
    const expression = `${list}.all(a, ${list}.all(b, ${list}.all(c, ${list}.all(d, a + b + c + d >= 0))))`;
    await install('cost', { validations: [{ expression }] });
    expect((await create('cost')).body.message).toContain('cost');
  });

  it('K-27: MutatingAdmissionPolicies are not served', async () => {
    expect((await client.post(`${GROUP}/mutatingadmissionpolicies`, {})).status).toBe(404);
  });
});
