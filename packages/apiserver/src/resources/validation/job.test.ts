import { describe, expect, it } from '@jest/globals';
import { createControlPlane } from '../../control-plane.fixture.ts';
import { RawClient } from '../../raw-client.fixture.ts';

const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const container = { name: 'main', image: 'example.com/main:1' };

describe('the template of a Job', () => {
  it('K-11: a write that changes nothing stores the labels that a Job has from its template', async () => {
    await using controlPlane = await createControlPlane();
    using client = new RawClient(controlPlane.config);
    const template = { spec: { containers: [container], restartPolicy: 'Never' } };
    const version = async (): Promise<string> =>
      (await client.patch(`${JOBS}/labelled`, {})).body.metadata.resourceVersion;
    const { body } = await client.post(JOBS, { metadata: { name: 'labelled' }, spec: { template } });
    expect(body.metadata).toMatchObject({ labels: { 'job-name': 'labelled' } });
    const stored = await version();
    expect(stored).not.toBe(body.metadata.resourceVersion);
    expect(await version()).toBe(stored);
  });

  it('K-28: changes only while the Job is suspended and has not started, and only in its scheduling', async () => {
    await using controlPlane = await createControlPlane();
    using client = new RawClient(controlPlane.config);
    const template = { spec: { containers: [container], restartPolicy: 'Never' } };
    const created = await client.post(JOBS, { metadata: { name: 'paused' }, spec: { suspend: true, template } });
    expect(created.status).toBe(201);
    const patch = async (spec: object): Promise<number> =>
      (await client.patch(`${JOBS}/paused`, { spec: { template: { spec } } })).status;

    expect(await patch({ nodeSelector: { zone: 'a' } })).toBe(200);
    expect(await patch({ containers: [{ ...container, image: 'example.com/main:2' }] })).toBe(422);

    const started = await client.patch(`${JOBS}/paused/status`, { status: { startTime: '2026-01-01T00:00:00Z' } });
    expect(started.status).toBe(200);
    expect(await patch({ nodeSelector: { zone: 'b' } })).toBe(422);
  });

  it('K-28: names a label with a name that is too long once', async () => {
    await using controlPlane = await createControlPlane();
    using client = new RawClient(controlPlane.config);
    const template = { spec: { containers: [container], restartPolicy: 'Never' } };
    const { status, body } = await client.post(JOBS, { metadata: { name: 'a'.repeat(64) }, spec: { template } });
    expect(status).toBe(422);
    const { causes } = body.details;
    expect(new Set(causes.map(({ field }) => field))).toEqual(new Set(['spec.template.labels']));
  });
});
