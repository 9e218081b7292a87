import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';
import type { Answer } from '../webhooks/webhook-server.fixture.ts';
import { admissionReview, allow, deny, patchWith, WebhookServer } from '../webhooks/webhook-server.fixture.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';

/** Largest code that HTTP/2 of Node.js sends. */
const LARGEST_HTTP2_CODE = 599;

const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }];

describe('admission webhooks', () => {
  let webhooks: WebhookServer;
  let plane: ControlPlane;
  let client: RawClient;
  let configurations: string[] = [];

  beforeAll(async () => {
    webhooks = await WebhookServer.start();
    plane = await createControlPlane();
    client = new RawClient(plane.config);
  });
  afterEach(async () => {
    for (const path of configurations) await client.delete(path);
    configurations = [];
    webhooks.reviews.clear();
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
    await webhooks[Symbol.asyncDispose]();
  });

  async function install(
    kind: 'Mutating' | 'Validating',
    name: string,
    answer: Answer,
    fields: object = {},
  ): Promise<void> {
    const path = `${GROUP}/${kind.toLowerCase()}webhookconfigurations`;
    const webhook = {
      name: `${name}.example.com`,
      clientConfig: webhooks.serve(`/${name}`, answer),
      rules,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...fields,
    };
    const { status, body } = await client.post(path, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name },
      webhooks: [webhook],
    });
    expect([status, body.message]).toEqual([201, undefined]);
    configurations.push(`${path}/${name}`);
  }

  const label =
    (name: string): Answer =>
    (review, response) => {
      const labels = {
        ...review.request.object.metadata.labels,
        [name]: String(Object.keys(review.request.object.metadata.labels ?? {}).length),
      };
      return patchWith({ op: 'add', path: '/metadata/labels', value: labels })(review, response);
    };

  it('K-27: calls mutating webhooks in the order of their configurations, then validating ones', async () => {
    await install('Mutating', 'b', label('b'));
    await install('Mutating', 'a', label('a'));
    await install('Validating', 'v', allow);
    const { body } = await client.post(CONFIG_MAPS, configMap('ordered'));
    expect(body.metadata).toMatchObject({ labels: { a: '0', b: '1' } });
    const [review] = webhooks.take('/v');
    expect(review?.request).toMatchObject({
      operation: 'CREATE',
      name: 'ordered',
      namespace: 'default',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      userInfo: { username: 'kubernetes-admin' },
      object: { kind: 'ConfigMap', metadata: { uid: body.metadata.uid, labels: { a: '0', b: '1' } } },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    });
    expect(webhooks.take('/a')[0]?.request.object.metadata).not.toHaveProperty('uid');
  });

  it('K-27: calls a webhook again if a later one changed the object and its policy is IfNeeded', async () => {
    await install('Mutating', 'a', label('a'), { reinvocationPolicy: 'IfNeeded' });
    await install('Mutating', 'b', label('b'));
    await client.post(CONFIG_MAPS, configMap('again'));
    expect([webhooks.take('/a').length, webhooks.take('/b').length]).toEqual([2, 1]);
  });

  it('K-27: follows redirects of a webhook, up to ten', async () => {
    webhooks.serve('/target', allow);
    await install('Validating', 'moved', (_review, response) => {
      response.writeHead(307, { location: '/target' }).end();
      return undefined;
    });
    expect((await client.post(CONFIG_MAPS, configMap('followed'))).status).toBe(201);
    expect(webhooks.take('/target')).toHaveLength(1);
    webhooks.serve('/moved', (_review, response) => {
      response.writeHead(308, { location: '/moved' }).end();
      return undefined;
    });
    const { status, body } = await client.post(CONFIG_MAPS, configMap('circular'));
    expect([status, body.message]).toEqual([500, expect.stringContaining('Post "/moved": stopped after 10 redirects')]);
  });

  it('K-27: ignores large integers in unknown fields of a review', async () => {
    await install('Validating', 'large', (review) => ({
      ...admissionReview(review, { allowed: true }),
      other: 2 ** 60,
    }));
    expect((await client.post(CONFIG_MAPS, configMap('large'))).status).toBe(201);
  });

  it('K-27: ignores a patch that cannot be decoded if the webhook may fail', async () => {
    const answer: Answer = (review) => {
      const patch = Buffer.from('[5]').toString('base64');
      return admissionReview(review, { allowed: true, patchType: 'JSONPatch', patch });
    };
    await install('Mutating', 'undecodable', answer, { failurePolicy: 'Ignore' });
    expect((await client.post(CONFIG_MAPS, configMap('unpatched'))).status).toBe(201);
  });

  it('K-27: refuses the request with the message, code and reason of the webhook', async () => {
    await install('Validating', 'deny', (review) =>
      admissionReview(review, { allowed: false, status: { code: 418, reason: 'Teapot', message: 'no coffee' } }),
    );
    const { status, body } = await client.post(CONFIG_MAPS, configMap('denied'));
    expect([status, body.reason, body.message]).toEqual([
      418,
      'Teapot',
      'admission webhook "deny.example.com" denied the request: no coffee',
    ]);
    expect((await client.get(`${CONFIG_MAPS}/denied`)).status).toBe(404);
  });

  it.each([
    [{ code: 1000, message: 'x' }, LARGEST_HTTP2_CODE],
    [{ details: { retryAfterSeconds: 'x\r\ny' } }, 500],
    [{ details: { causes: 5 } }, 500],
  ])('K-27: a status that no client could read ends only its request: %j', async (result, code) => {
    await install('Validating', 'odd', (review) => admissionReview(review, { allowed: false, status: result }));
    expect((await client.post(CONFIG_MAPS, configMap('odd'))).status).toBe(code);
    expect((await client.get('/readyz')).status).toBe(200);
  });

  it('K-27: the body of a denial has a code that HTTP/2 cannot send', async () => {
    const answer: Answer = (review) => admissionReview(review, { allowed: false, status: { code: 999, message: 'x' } });
    await install('Validating', 'high', answer);
    const { status, body } = await client.post(CONFIG_MAPS, configMap('high'));
    expect([status, body.code]).toEqual([LARGEST_HTTP2_CODE, 999]);
  });

  it('K-27: drops warnings with control characters, which could end the header', async () => {
    const warnings = ['one', 'two\r\nx-evil: 1', 'three\u0085', null, 'four'];
    await install('Validating', 'control', (review) => admissionReview(review, { allowed: true, warnings }));
    const { status, headers } = await client.post(CONFIG_MAPS, configMap('controlled'));
    expect([status, headers['warning'], headers['x-evil']]).toEqual([201, '299 - "one", 299 - "four"', undefined]);
  });

  it('K-27: sends no time to retry after that is not positive', async () => {
    const status = { code: 429, details: { retryAfterSeconds: -7 } };
    await install('Validating', 'retry', (review) => admissionReview(review, { allowed: false, status }));
    expect((await client.post(CONFIG_MAPS, configMap('retry'))).headers).not.toHaveProperty('retry-after');
  });

  it('K-27: a webhook that switches protocols is a failed call', async () => {
    await install('Validating', 'switch', (_, response) => {
      response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    });
    const { status, body } = await client.post(CONFIG_MAPS, configMap('switch'));
    expect([status, body.message]).toEqual([500, expect.stringContaining('status code: 101')]);
  });

  it('K-27: sends warnings of webhooks, once each and cut if they are long', async () => {
    const warnings = ['first', 'first', 'x'.repeat(5000)];
    await install('Validating', 'warn', (review) => admissionReview(review, { allowed: true, warnings }));
    const { headers } = await client.post(CONFIG_MAPS, configMap('warned'));
    expect(headers['warning']).toBe(`299 - "first", 299 - "${'x'.repeat(256)}"`);
  });

  it('K-27: asks about updates, patches, deletions and deletions of collections', async () => {
    await client.post(CONFIG_MAPS, configMap('lived', { a: '1' }, { labels: { group: 'g' } }));
    await client.post(CONFIG_MAPS, configMap('lived-too', {}, { labels: { group: 'g' } }));
    await install('Validating', 'log', allow);
    await client.put(`${CONFIG_MAPS}/lived`, configMap('lived', { a: '2' }, { labels: { group: 'g' } }));
    await client.patch(`${CONFIG_MAPS}/lived`, { data: { a: '3' } });
    await client.apply(`${CONFIG_MAPS}/lived`, configMap('lived', { b: '1' }), 'me');
    await client.delete(`${CONFIG_MAPS}?labelSelector=group%3Dg`);
    const asked = webhooks.take('/log').map(({ request }) => [request.operation, request.name, request.oldObject.data]);
    expect(asked).toEqual([
      ['UPDATE', 'lived', { a: '1' }],
      ['UPDATE', 'lived', { a: '2' }],
      ['UPDATE', 'lived', { a: '3' }],
      ['DELETE', undefined, { a: '3', b: '1' }],
      ['DELETE', undefined, undefined],
    ]);
  });

  it('K-27: a webhook that denies deletions keeps the object', async () => {
    await client.post(CONFIG_MAPS, configMap('kept'));
    await install('Validating', 'keep', deny('keep it'));
    expect((await client.delete(`${CONFIG_MAPS}/kept`)).body.message).toContain('denied the request: keep it');
    expect((await client.get(`${CONFIG_MAPS}/kept`)).status).toBe(200);
  });

  it('K-27: a write on which webhooks decided is repeated if the object changed meanwhile', async () => {
    await client.post(CONFIG_MAPS, configMap('raced', { count: '0' }));
    let calls = 0;
    let writes = 0;
    await install('Validating', 'race', async (review) => {
      calls += 1;
      if (calls === 1) await client.patch(`${CONFIG_MAPS}/raced`, { data: { other: String((writes += 1)) } });
      return admissionReview(review, { allowed: true });
    });
    const patched = await client.patch(`${CONFIG_MAPS}/raced`, { data: { count: '1' } });
    expect(patched.body.data).toEqual({ count: '1', other: '1' });
    expect(calls).toBe(3);
    const { resourceVersion } = patched.body.metadata;
    calls = 0;
    const update = configMap('raced', { count: '2' }, { resourceVersion });
    expect((await client.put(`${CONFIG_MAPS}/raced`, update)).body.reason).toBe('Conflict');
  });

  it.each([
    ['refuses the connection', { url: 'https://127.0.0.1:1/x' }, 'dial tcp 127.0.0.1:1: connect: connection refused'],
    ['has an unknown authority', { caBundle: '' }, 'x509: certificate signed by unknown authority'],
    [
      'is an unknown service',
      { url: undefined, service: { name: 's', namespace: 'n' } },
      'Post "https://s.n.svc:443?timeout=10s": service "s" not found',
    ],
  ])(
    'K-27: a webhook that %s fails the request, unless its policy is Ignore',
    async (_title, clientConfig, message) => {
      const config = { ...webhooks.serve('/fail', allow), ...clientConfig };
      await install('Mutating', 'fail', allow, {
        clientConfig: 'service' in config ? { service: config.service } : config,
      });
      const { status, body } = await client.post(CONFIG_MAPS, configMap('failed'));
      expect([status, body.reason]).toEqual([500, 'InternalError']);
      expect(body.message).toContain(
        'Internal error occurred: failed calling webhook "fail.example.com": failed to call webhook: Post',
      );
      expect(body.message).toContain(message);
      const path = configurations[0] ?? '';
      await client.patch(path, [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }], 'json-patch');
      expect(
        (await client.post(CONFIG_MAPS, { ...configMap('failed'), metadata: { generateName: 'f-' } })).status,
      ).toBe(201);
    },
  );

  it('K-27: a webhook that does not respond within its timeout fails', async () => {
    await install('Validating', 'slow', () => undefined, { timeoutSeconds: 1 });
    const { body } = await client.post(CONFIG_MAPS, configMap('slow'));
    expect(body.message).toMatch(
      /^Internal error occurred: failed calling webhook "slow.example.com": failed to call webhook: Post ".*\/slow\?timeout=1s": context deadline exceeded$/,
    );
  });

  it.each([
    [
      'no response',
      () => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }),
      'webhook response was absent',
    ],
    ['another uid', (review) => ({ ...admissionReview(review, { uid: 'x' }) }), ', got "x"'],
    [
      'a patch without a type',
      (review) => admissionReview(review, { allowed: true, patch: 'W10=' }),
      'webhook returned response.patch but not response.patchType',
    ],
    ['text', () => 'hello', "couldn't get version/kind; json parse error"],
    [
      'a failing patch',
      patchWith({ op: 'remove', path: '/data/none' }),
      "error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
    ],
  ] as [string, Answer, string][])('K-27: refuses a response with %s', async (_title, answer, message) => {
    await install('Mutating', 'invalid', answer);
    const { status, body } = await client.post(CONFIG_MAPS, configMap('invalid', { a: 'b' }));
    expect(status).toBe(500);
    expect(body.message).toContain(message);
  });

  it('K-27: selects by match conditions, the labels of objects and those of namespaces', async () => {
    await install('Validating', 'condition', deny('condition'), {
      matchConditions: [
        { name: 'c', expression: "object.metadata.name.startsWith('c-') && request.userInfo.username != ''" },
      ],
    });
    await install('Validating', 'object', deny('object'), { objectSelector: { matchLabels: { deny: 'yes' } } });
    await install('Validating', 'namespace', deny('namespace'), {
      namespaceSelector: { matchLabels: { deny: 'yes' } },
    });
    expect((await client.post(CONFIG_MAPS, configMap('allowed'))).status).toBe(201);
    expect((await client.post(CONFIG_MAPS, configMap('c-1'))).body.message).toContain('condition');
    const labelled = configMap('o-1', {}, { labels: { deny: 'yes' } });
    expect((await client.post(CONFIG_MAPS, labelled)).body.message).toContain('object');
    await client.patch('/api/v1/namespaces/default', { metadata: { labels: { deny: 'yes' } } });
    expect((await client.post(CONFIG_MAPS, configMap('n-1'))).body.message).toContain('namespace');
    await client.patch('/api/v1/namespaces/default', { metadata: { labels: { deny: null } } });
  });

  it('K-27: a match condition that fails forbids the request, or skips a webhook that may fail', async () => {
    const matchConditions = [{ name: 'c', expression: 'object.data.none == "x"' }];
    await install('Validating', 'broken', deny('never'), { matchConditions });
    const { status, body } = await client.post(CONFIG_MAPS, configMap('m', { a: 'b' }));
    expect([status, body.message]).toEqual([
      403,
      `configmaps "m" is forbidden: expression 'object.data.none == "x"' resulted in error: no such key: none`,
    ]);
    await client.delete(configurations.pop() ?? '');
    await install('Validating', 'broken', deny('never'), { matchConditions, failurePolicy: 'Ignore' });
    expect((await client.post(CONFIG_MAPS, configMap('m', { a: 'b' }))).status).toBe(201);
  });

  it('K-27: a dry run asks only webhooks without side effects', async () => {
    await install('Validating', 'dry', allow, { sideEffects: 'NoneOnDryRun' });
    expect((await client.post(`${CONFIG_MAPS}?dryRun=All`, configMap('dry'))).status).toBe(201);
    expect(webhooks.take('/dry')[0]?.request.dryRun).toBe(true);
    expect((await client.get(`${CONFIG_MAPS}/dry`)).status).toBe(404);
  });

  it('K-27: shows subresources in their own kinds, and accepts changes of them', async () => {
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } };
    await client.post(deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    });
    await install('Mutating', 'scale', patchWith({ op: 'replace', path: '/spec/replicas', value: 7 }), {
      rules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments/scale'] }],
    });
    const scaled = await client.patch(`${deployments}/web/scale`, { spec: { replicas: 3 } });
    expect(scaled.body.spec).toEqual({ replicas: 7 });
    expect(webhooks.take('/scale')[0]?.request).toMatchObject({
      subResource: 'scale',
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      object: { kind: 'Scale', spec: { replicas: 3 } },
    });
    expect((await client.get(`${deployments}/web`)).body.spec).toMatchObject({ replicas: 7 });
  });

  it('K-27: shows an object in an equivalent version that the rules of a webhook name', async () => {
    await install('Mutating', 'equivalent', patchWith({ op: 'replace', path: '/spec/maxReplicas', value: 9 }), {
      rules: [
        { apiGroups: ['autoscaling'], apiVersions: ['v2'], operations: ['*'], resources: ['horizontalpodautoscalers'] },
      ],
    });
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const { body } = await client.post('/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers', {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec: { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
    });
    expect(body.spec).toMatchObject({ maxReplicas: 9, targetCPUUtilizationPercentage: 50 });
    expect(webhooks.take('/equivalent')[0]?.request).toMatchObject({
      kind: { version: 'v2' },
      requestKind: { version: 'v1' },
      object: { apiVersion: 'autoscaling/v2' },
    });
  });

  it('K-27: asks about evictions, bindings and tokens', async () => {
    const resources = ['pods/eviction', 'pods/binding', 'serviceaccounts/token'];
    await install('Validating', 'actions', deny('not this'), { rules: [{ ...rules[0], resources }] });
    const pods = '/api/v1/namespaces/default/pods';
    const serviceAccounts = '/api/v1/namespaces/default/serviceaccounts';
    await client.post(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'actor' } });
    await client.post(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    });
    const answers = [
      await client.post(`${pods}/p/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } }),
      await client.post(`${pods}/p/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'p' },
        target: { name: 'n' },
      }),
      await client.post(`${serviceAccounts}/actor/token`, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: {},
      }),
    ];
    expect(answers.map(({ body }) => body.message)).toEqual(
      Array(3).fill('admission webhook "actions.example.com" denied the request: not this'),
    );
    expect(webhooks.take('/actions').map(({ request }) => [request.operation, request.kind.kind])).toEqual([
      ['CREATE', 'Eviction'],
      ['CREATE', 'Binding'],
      ['CREATE', 'TokenRequest'],
    ]);
  });

  it('K-27: trusts a certificate that is the bundle itself, and cleans the path of a url', async () => {
    // Both as controller-runtime's envtest sets them.
    const { url } = webhooks.serve('/clean', deny('reached'));
    const clientConfig = { url: url.replace('/clean', '//clean/'), caBundle: webhooks.servingBundle };
    await install('Validating', 'bundle', allow, { clientConfig });
    const { body } = await client.post(CONFIG_MAPS, configMap('denied'));
    expect(body.message).toBe('admission webhook "bundle.example.com" denied the request: reached');
  });

  it('K-27: reuses connections', async () => {
    await install('Validating', 'reuse', allow);
    await client.post(CONFIG_MAPS, configMap('reuse-0'));
    const before = webhooks.connections;
    for (let index = 1; index < 5; index++) await client.post(CONFIG_MAPS, configMap(`reuse-${index}`));
    expect(webhooks.connections).toBe(before);
  });

  it('K-27: a webhook whose response is too large fails', async () => {
    await install('Validating', 'large', () => 'x'.repeat(17 * 1024 * 1024));
    expect((await client.post(CONFIG_MAPS, configMap('large'))).body.message).toContain('exceeds 16777216 bytes');
  });

  it('K-27: stopping the server ends calls of webhooks, and their connections', async () => {
    const stopped = await createControlPlane();
    using other = new RawClient(stopped.config);
    const called = new Promise<void>((resolve) => {
      webhooks.serve('/pending', () => {
        resolve();
        return undefined;
      });
    });
    await other.post(`${GROUP}/validatingwebhookconfigurations`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'pending' },
      webhooks: [
        {
          name: 'pending.example.com',
          clientConfig: { url: webhooks.urlOf('/pending'), caBundle: webhooks.caBundle },
          rules,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    const before = webhooks.openConnections();
    const pending = other.post(CONFIG_MAPS, configMap('pending')).catch(() => undefined);
    await called;
    await stopped.stop();
    await pending;
    await webhooks.untilConnections(before);
  });
});
