import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';
import type { Answer } from '../webhooks/webhook-server.fixture.ts';
import { allow, deny, WebhookServer } from '../webhooks/webhook-server.fixture.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

interface ServiceSpec {
  readonly clusterIP: string;
  readonly ports: readonly { readonly nodePort: number }[];
}

describe('concurrent writes that a webhook delays', () => {
  let webhooks: WebhookServer;
  let plane: ControlPlane;
  let client: RawClient;
  let waiting: (() => void)[] = [];

  /** Answers only when a number of requests wait. */
  function together(count: number, answer = allow): Answer {
    waiting = [];
    return async (review, response) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === count) for (const release of waiting) release();
      });
      return answer(review, response);
    };
  }

  beforeAll(async () => {
    webhooks = await WebhookServer.start();
    plane = await createControlPlane();
    client = new RawClient(plane.config);
    const webhook = {
      name: 'slow.example.com',
      clientConfig: webhooks.serve('/slow', allow),
      rules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['services', 'pods/eviction'] },
      ],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    await client.post(path, { metadata: { name: 'slow' }, webhooks: [webhook] });
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
    await webhooks[Symbol.asyncDispose]();
  });

  const service = (name: string, nodePort?: number, clusterIP?: string): object => ({
    metadata: { name },
    spec: { type: 'NodePort', clusterIP, ports: [{ port: 80, nodePort }] },
  });

  it('K-28: concurrent Services get different addresses and node ports', async () => {
    webhooks.serve('/slow', together(3));
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((name) => client.post(`${NAMESPACE}/services`, service(name))),
    );
    const specs = answers.map(({ body }) => body.spec as ServiceSpec);
    expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(3);
    expect(new Set(specs.map(({ ports }) => ports[0]?.nodePort)).size).toBe(3);
  });

  it('K-28: an address or a node port that another Service waits for is taken', async () => {
    for (const [first, second, field] of [
      [service('p1', 30_123), service('p2', 30_123), 'spec.ports[0].nodePort'],
      [service('i1', undefined, '10.0.0.77'), service('i2', undefined, '10.0.0.77'), 'spec.clusterIPs'],
    ] as const) {
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const reached = new Promise<void>((resolve) => {
        webhooks.serve('/slow', async (review, response) => {
          resolve();
          await held;
          return allow(review, response);
        });
      });
      const pending = client.post(`${NAMESPACE}/services`, first);
      await reached;
      const { status, body } = await client.post(`${NAMESPACE}/services`, second);
      release();
      expect([status, body.details.causes[0]?.field]).toEqual([422, field]);
      expect((await pending).status).toBe(201);
    }
  });

  it('K-28: a Service that a webhook denies keeps neither its address nor its node port', async () => {
    webhooks.serve('/slow', deny('no'));
    const wanted = service('d', 30_222, '10.0.0.88');
    expect((await client.post(`${NAMESPACE}/services`, wanted)).status).toBe(400);
    webhooks.serve('/slow', allow);
    expect((await client.post(`${NAMESPACE}/services`, wanted)).status).toBe(201);
  });

  async function setUpPods(names: readonly string[], allowed: object): Promise<void> {
    await client.post(`${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
    for (const name of names) {
      const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] };
      await client.post(`${NAMESPACE}/pods`, { metadata: { name, labels: { app: 'web' } }, spec });
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      await client.patch(`${NAMESPACE}/pods/${name}/status`, { status });
    }
    const budget = { metadata: { name: 'web' }, spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } } };
    await client.post(BUDGETS, budget);
    await client.patch(`${BUDGETS}/web/status`, { status: allowed });
  }

  const evict = (name: string): ReturnType<RawClient['post']> =>
    client.post(`${NAMESPACE}/pods/${name}/eviction`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name },
    });

  it('K-28: concurrent evictions take no more disruptions than the budget allows', async () => {
    const names = ['x', 'y', 'z'];
    const status = { observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2 };
    await setUpPods(names, { ...status, expectedPods: 3 });
    webhooks.serve('/slow', together(3));
    const answers = await Promise.all(names.map(evict));
    expect(answers.map((answer) => answer.status).toSorted((one, other) => one - other)).toEqual([201, 429, 429]);
    const refused = answers.find((answer) => answer.status === 429);
    expect(refused?.body).toMatchObject({
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          { reason: 'DisruptionBudget', message: 'The disruption budget web does not allow evicting pods currently' },
        ],
      },
    });
    const { body: budget } = await client.get(`${BUDGETS}/web`);
    expect(budget.status).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    });
  });
});
