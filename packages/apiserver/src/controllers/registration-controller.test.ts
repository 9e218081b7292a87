import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import type { Body } from '../raw-client.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const versions = (served: boolean): object[] => [
  { name: 'v1', served: true, storage: true, schema },
  { name: 'v2', served, storage: false, schema },
];

describe('APIServices of custom groups', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane();
    client = new RawClient(plane.config);
    await client.post(CRDS, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'cups.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'cups', kind: 'Cup' },
        versions: versions(true),
      },
    });
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  /** Waits until an APIService is as expected. The deadline of the test limits the wait. */
  async function until(name: string, isDone: (status: number, body: Body) => boolean): Promise<Body> {
    for (;;) {
      const { status, body } = await client.get(`${SERVICES}/${name}`);
      if (isDone(status, body)) return body;
      await sleep(10);
    }
  }

  it('K-26: exist for each version that a definition serves', async () => {
    const body = await until('v1.example.com', (status) => status === 200);
    expect(body).toMatchObject({
      metadata: {
        labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' },
        managedFields: [{ manager: 'kube-apiserver', operation: 'Update' }],
      },
      spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
    await until('v2.example.com', (status) => status === 200);
  });

  it('K-26: are created again after a deletion, and get their spec back', async () => {
    const { metadata } = await until('v1.example.com', (status) => status === 200);
    await client.delete(`${SERVICES}/v1.example.com`);
    await until('v1.example.com', (status, body) => status === 200 && body.metadata.uid !== metadata.uid);
    await client.request('PATCH', `${SERVICES}/v1.example.com`, {
      body: { spec: { versionPriority: 5 } },
      headers: MERGE,
    });
    await until(
      'v1.example.com',
      (_, body) => (body as { spec?: { versionPriority?: number } }).spec?.versionPriority === 100,
    );
  });

  it('K-26: are deleted with the last definition that serves the version, unless they are those of a client', async () => {
    const label = { metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': null } } };
    await client.request('PATCH', `${SERVICES}/v1.example.com`, { body: label, headers: MERGE });
    const changed = { spec: { versions: versions(false) } };
    await client.request('PATCH', `${CRDS}/cups.example.com`, { body: changed, headers: MERGE });
    await until('v2.example.com', (status) => status === 404);
    await client.delete(`${CRDS}/cups.example.com`);
    await until('v1.example.com', (status) => status === 200);
  });
});
