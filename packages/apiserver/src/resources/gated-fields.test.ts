import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createControlPlane } from '../control-plane.fixture.ts';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const CORE = '/api/v1/namespaces/default';
const selector = { matchLabels: { app: 'gated' } };
const container = { name: 'main', image: 'example.com/main:1' };

function template(spec: object): object {
  return { metadata: { labels: selector.matchLabels }, spec: { containers: [container], ...spec } };
}

describe('fields whose feature gates are off', () => {
  let controlPlane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    controlPlane = await createControlPlane();
    client = new RawClient(controlPlane.config);
  });

  afterAll(async () => {
    client[Symbol.dispose]();
    await controlPlane[Symbol.asyncDispose]();
  });

  async function specOf(path: string, object: object): Promise<Record<string, unknown>> {
    const { status, body } = await client.post(`${path}?dryRun=All&fieldValidation=Strict`, object);
    expect([status, body.message]).toEqual([201, undefined]);
    return body['spec'] as Record<string, unknown>;
  }

  it('K-28: drops them from Pods and keeps the rest', async () => {
    const preStop = { sleep: { seconds: 1 } };
    const spec = await specOf(`${CORE}/pods`, {
      metadata: { name: 'gated' },
      spec: {
        workloadRef: { name: 'w', podGroup: 'g' },
        os: { name: 'linux' },
        containers: [
          { ...container, lifecycle: { stopSignal: 'SIGTERM' } },
          { ...container, name: 'other', lifecycle: { stopSignal: 'SIGTERM', preStop } },
        ],
        initContainers: [{ ...container, name: 'init', lifecycle: { stopSignal: 'SIGTERM' } }],
        volumes: [
          { name: 'v', projected: { sources: [{ podCertificate: { keyType: 'ED25519', signerName: 'a.b/c' } }] } },
        ],
      },
    });
    expect(spec).not.toHaveProperty('workloadRef');
    expect(spec).toMatchObject({
      containers: [expect.not.objectContaining({ lifecycle: expect.anything() }), { lifecycle: { preStop } }],
      initContainers: [expect.not.objectContaining({ lifecycle: expect.anything() })],
      volumes: [{ projected: { sources: [{}] } }],
    });
  });

  it('K-28: drops them from templates and from the spec of a StatefulSet', async () => {
    const spec = await specOf('/apis/apps/v1/namespaces/default/statefulsets', {
      metadata: { name: 'gated' },
      spec: {
        selector,
        serviceName: 'gated',
        template: template({ workloadRef: { name: 'w', podGroup: 'g' } }),
        updateStrategy: { rollingUpdate: { maxUnavailable: 1 } },
      },
    });
    expect(spec['updateStrategy']).toEqual({ type: 'RollingUpdate', rollingUpdate: { partition: 0 } });
    expect(spec['template']).not.toHaveProperty('spec.workloadRef');
  });

  it('K-28: drops a source of another namespace from a new PersistentVolumeClaim', async () => {
    const spec = await specOf(`${CORE}/persistentvolumeclaims`, {
      metadata: { name: 'gated' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        dataSourceRef: { apiGroup: 'example.com', kind: 'Copy', name: 'a', namespace: 'other' },
      },
    });
    expect(spec).not.toHaveProperty('dataSourceRef');
    expect(spec).not.toHaveProperty('dataSource');
  });

  it('K-28: drops them from claims to devices', async () => {
    const spec = await specOf('/apis/resource.k8s.io/v1/namespaces/default/resourceclaims', {
      metadata: { name: 'gated' },
      spec: {
        devices: {
          requests: [{ name: 'a', exactly: { deviceClassName: 'x', tolerations: [{ operator: 'Exists' }] } }],
        },
      },
    });
    expect(spec).toMatchObject({ devices: { requests: [{ exactly: { deviceClassName: 'x' } }] } });
    expect(JSON.stringify(spec)).not.toContain('tolerations');
  });

  it('K-15: refuses fields that Kubernetes v1.35 does not have', async () => {
    const pod = {
      metadata: { name: 'gated' },
      spec: { containers: [container], schedulingGroup: { podGroupName: 'g' } },
    };
    const { status, body } = await client.post(`${CORE}/pods?fieldValidation=Strict`, pod);
    expect(status).toBe(400);
    expect(body.message).toContain('unknown field "spec.schedulingGroup"');
  });
});
