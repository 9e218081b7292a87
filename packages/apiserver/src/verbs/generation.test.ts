import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const POLICIES = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const INGRESSES = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';

// The expected answers are those of kube-apiserver v1.35.
describe('generations of objects with empty lists', () => {
  let controlPlane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    controlPlane = await createControlPlane();
    client = new RawClient(controlPlane.config);
  });

  afterAll(async () => {
    client[Symbol.dispose]();
    await controlPlane.stop();
  });

  it.each([
    ['NetworkPolicy', POLICIES, { spec: { podSelector: {}, ingress: [] } }, 4],
    ['NetworkPolicy', POLICIES, { spec: { podSelector: { matchLabels: {} } } }, 4],
    ['ValidatingWebhookConfiguration', HOOKS, { webhooks: [] }, 4],
    ['Ingress', INGRESSES, { spec: { rules: [], defaultBackend: { resource: { kind: 'A', name: 'a' } } } }, 1],
  ])('K-20: a write of the empty list of a %s (%#)', async (_kind, path, parts, generation) => {
    const object = { metadata: { name: 'a' }, ...parts };
    await client.delete(`${path}/a`);
    await client.post(path, object);
    const { body } = await client.get(`${path}/a`);
    await client.put(`${path}/a`, { ...object, metadata: body.metadata });
    await client.patch(`${path}/a`, parts);
    await client.patch(`${path}/a`, { metadata: { labels: { a: 'b' } } });
    const { apiVersion, kind } = body;
    await client.apply(`${path}/a`, { apiVersion, kind, ...object }, 'one');
    expect((await client.get(`${path}/a`)).body.metadata.generation).toBe(generation);
  });
});
