import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../raw-client.fixture.ts';
import { patchWith, WebhookServer } from '../webhooks/webhook-server.fixture.ts';

const POD = { containers: [{ name: 'a', image: 'b' }] };
const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: POD };
const NAMESPACE = 'namespaces/default';

describe('null in lists', () => {
  let controlPlane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    controlPlane = await createControlPlane();
    client = new RawClient(controlPlane.config);
    await client.post(CONFIG_MAPS, configMap('present'));
  });

  afterAll(async () => {
    client[Symbol.dispose]();
    await controlPlane.stop();
  });

  const create = async (path: string, spec: object, metadata: object = {}): Promise<unknown[]> => {
    const { status, body } = await client.post(`${path}?dryRun=All`, { metadata: { name: 'x', ...metadata }, spec });
    return [status, body.message];
  };

  it.each([
    ['pods', { containers: [null] }, 'spec.containers[0].name: Required value'],
    ['pods', { ...POD, volumes: [null] }, 'spec.volumes[0].name: Required value'],
    ['services', { ports: [null] }, 'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive'],
  ])('K-28: validates null in a list of %s as an empty struct', async (plural, spec, message) => {
    expect(await create(`/api/v1/${NAMESPACE}/${plural}`, spec)).toEqual([422, expect.stringContaining(message)]);
  });

  it('K-28: refuses a selector whose key is null', async () => {
    const selector = { matchExpressions: [{ key: null, operator: 'In', values: ['a'] }] };
    const message =
      'spec.selector.matchExpressions[0].key: Invalid value: "": name part must be non-empty, spec.selector.matchExpressions[0].key';
    for (const [plural, fields] of [
      ['deployments', {}],
      ['statefulsets', { serviceName: 's' }],
    ] as const) {
      const spec = { selector, template: TEMPLATE, ...fields };
      expect(await create(`/apis/apps/v1/${NAMESPACE}/${plural}`, spec)).toEqual([
        422,
        expect.stringContaining(message),
      ]);
    }
    const spec = { selector: { matchLabels: { a: 'b' } }, template: TEMPLATE, volumeClaimTemplates: [null] };
    expect((await create(`/apis/apps/v1/${NAMESPACE}/statefulsets`, spec))[0]).toBeLessThan(500);
  });

  it('K-20: ignores an annotation that is not a behavior of an autoscaler', async () => {
    const spec = { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'x', apiVersion: 'apps/v1' } };
    for (const behavior of ['5', '"x"', '[]', '{"scaleUp":5}', '{']) {
      const metadata = { annotations: { 'autoscaling.alpha.kubernetes.io/behavior': behavior } };
      const path = `/apis/autoscaling/v1/${NAMESPACE}/horizontalpodautoscalers`;
      expect(await create(path, spec, metadata)).toEqual([201, undefined]);
    }
  });

  const owner = 'metadata.ownerReferences.kind: Invalid value: "": must not be empty';

  it('K-10, K-12: reads null in the lists of metadata as Go does', async () => {
    expect(await create(CONFIG_MAPS, {}, { ownerReferences: [null] })).toEqual([422, expect.stringContaining(owner)]);
    expect(await create(CONFIG_MAPS, {}, { managedFields: [null], labels: { a: null } })).toEqual([201, undefined]);
    const patch = (metadata: object, type?: string) =>
      client.patch(`${CONFIG_MAPS}/present?dryRun=All`, { metadata }, type);
    expect((await patch({ ownerReferences: [null] })).body.message).toContain(owner);
    expect((await patch({ managedFields: [null] })).status).toBe(200);
    expect((await patch({ managedFields: [null] }, 'strategic-merge-patch')).status).toBe(200);
  });

  const version = {
    ...{ name: 'v1', served: true, storage: true },
    schema: { openAPIV3Schema: { type: 'object' } },
  };
  const rules = 'spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule: Required value';
  const schema = (fields: object) => ({ schema: { openAPIV3Schema: { type: 'object', ...fields } } });

  it.each([
    ['versions', { versions: [null] }, 'spec.versions[0].schema.openAPIV3Schema: Required value'],
    ['columns', { additionalPrinterColumns: [null] }, 'spec.additionalPrinterColumns[0].name: Required value'],
    ['selectable fields', { selectableFields: [null] }, 'spec.selectableFields[0].jsonPath: Required value'],
    ['rules', schema({ 'x-kubernetes-validations': [null] }), rules],
    ['properties', schema({ properties: { a: null } }), 'properties[a].type: Required value: must not be empty'],
  ])(
    'K-26: validates null in the %s of a definition',
    async (_, { versions, ...fields }: Record<string, unknown>, message) => {
      const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
      const spec = {
        group: 'example.com',
        scope: 'Namespaced',
        names,
        versions: versions ?? [{ ...version, ...fields }],
      };
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      expect(await create(path, spec, { name: 'things.example.com' })).toEqual([422, expect.stringContaining(message)]);
    },
  );

  it('K-27: answers 422 if a mutating webhook removes the metadata', async () => {
    await using webhooks = await WebhookServer.start();
    const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
    for (const operation of [
      { op: 'remove', path: '/metadata' },
      { op: 'replace', path: '/metadata', value: null },
    ]) {
      const webhook = {
        name: 'w.example.com',
        clientConfig: webhooks.serve('/w', patchWith(operation)),
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        ...{ sideEffects: 'None', admissionReviewVersions: ['v1'] },
      };
      await client.post(path, { metadata: { name: 'w' }, webhooks: [webhook] });
      const { status, body } = await client.post(CONFIG_MAPS, configMap('x'));
      await client.delete(`${path}/w`);
      const message = 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required';
      expect([status, body.message]).toEqual([422, message]);
    }
  });
});
