import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';
import { patchWith, WebhookServer } from '../webhooks/webhook-server.fixture.ts';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';

describe('updates that a mutating webhook changes', () => {
  let webhooks: WebhookServer;
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    webhooks = await WebhookServer.start();
    plane = await createControlPlane();
    client = new RawClient(plane.config);
    for (const name of ['source', 'victim']) await client.post(CONFIG_MAPS, { ...configMap(name), data: { of: name } });
    const webhook = {
      name: 'identity.example.com',
      clientConfig: webhooks.serve('/identity', patchWith()),
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    const { status } = await client.post(CONFIGURATIONS, { metadata: { name: 'identity' }, webhooks: [webhook] });
    expect(status).toBe(201);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
    await webhooks[Symbol.asyncDispose]();
  });

  async function answers(field: string, value: unknown): Promise<unknown[]> {
    webhooks.serve('/identity', patchWith({ op: 'add', path: `/metadata/${field}`, value }));
    const patch = { data: { [field]: 'changed' } };
    const { status, body } = await client.patch(`${CONFIG_MAPS}/source`, patch);
    return [status, body.message];
  }

  it('K-27: refuses a webhook that renames the object, and keeps the object with that name', async () => {
    const why = 'ConfigMap "victim" is invalid: metadata.name: Invalid value: "victim": field is immutable';
    expect(await answers('name', 'victim')).toEqual([422, why]);
    expect((await client.get(`${CONFIG_MAPS}/victim`)).body).toMatchObject({ data: { of: 'victim' } });
    expect((await client.get(`${CONFIG_MAPS}/source`)).body).toMatchObject({ data: { of: 'source' } });
  });

  it('K-27: refuses a webhook that changes the uid or the deletion of the object', async () => {
    const invalid = (what: string): string => `ConfigMap "source" is invalid: metadata.${what}: field is immutable`;
    expect(await answers('uid', 'other')).toEqual([422, invalid('uid: Invalid value: "other"')]);
    const time = '2030-01-01T00:00:00Z';
    const deletion = invalid(`deletionTimestamp: Invalid value: "${time}"`);
    expect(await answers('deletionTimestamp', time)).toEqual([422, deletion]);
    const grace = invalid('deletionGracePeriodSeconds: Invalid value: 5');
    expect(await answers('deletionGracePeriodSeconds', 5)).toEqual([422, grace]);
  });

  it('K-27: checks the version that a webhook leaves in the object', async () => {
    expect((await answers('resourceVersion', '1'))[0]).toBe(409);
    expect(await answers('resourceVersion', 'x')).toEqual([500, 'strconv.ParseUint: parsing "x": invalid syntax']);
    expect((await answers('resourceVersion', ''))[0]).toBe(200);
  });

  it('K-27: ignores the creation time and the generation that a webhook sets', async () => {
    const time = '2010-01-01T00:00:00Z';
    expect((await answers('creationTimestamp', time))[0]).toBe(200);
    expect((await answers('generation', 77))[0]).toBe(200);
    const { body } = await client.get(`${CONFIG_MAPS}/source`);
    expect(body.metadata).not.toMatchObject({ creationTimestamp: time });
    expect(body.metadata).not.toHaveProperty('generation');
  });

  it('K-27: keeps the generation that a webhook gives to a new object of a kind that does not count it', async () => {
    webhooks.serve('/identity', patchWith({ op: 'add', path: '/metadata/generation', value: 99 }));
    const { status, body } = await client.post(CONFIG_MAPS, configMap('counted'));
    expect([status, body.metadata.generation]).toEqual([201, 99]);
  });
});
