import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const open = {
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
  properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
};

const definition = (plural: string, kind: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        selectableFields: [{ jsonPath: '.spec.size' }],
        schema: { openAPIV3Schema: open },
      },
      { name: 'v1beta1', served: true, storage: false, schema: { openAPIV3Schema: open } },
    ],
  },
});

describe('custom resources', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane({ crds: [definition('widgets', 'Widget')] });
    client = new RawClient(plane.config);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  const widgets = '/apis/example.com/v1/namespaces/default/widgets';
  const widget = (name: string, size: number): object => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name },
    spec: { size },
  });

  const IN_SCHEMA = 'Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties';

  it.each([
    {
      a: { type: 'array', items: [3] },
      why: `cannot unmarshal number into ${IN_SCHEMA}.items of type v1.JSONSchemaProps`,
    },
    {
      a: { type: 'array', items: { type: 3 } },
      why: `cannot unmarshal number into ${IN_SCHEMA}.items.type of type string`,
    },
    {
      a: { type: 'array', items: { 'x-kubernetes-validations': [{ rule: 3 }] } },
      why: `cannot unmarshal number into ${IN_SCHEMA}.items.x-kubernetes-validations.rule of type string`,
    },
    {
      a: { additionalProperties: { externalDocs: { url: 3 } } },
      why: `cannot unmarshal number into ${IN_SCHEMA}.additionalProperties.externalDocs.url of type string`,
    },
    { a: { additionalProperties: 3 }, why: 'boolean or JSON schema expected' },
    {
      a: { dependencies: 'x' },
      why: `cannot unmarshal string into ${IN_SCHEMA}.dependencies of type v1.JSONSchemaDependencies`,
    },
    { a: { dependencies: { b: [3] } }, why: `cannot unmarshal number into ${IN_SCHEMA}.dependencies of type string` },
  ])('K-20: refuses a value of the wrong type within a schema: $a', async ({ a, why }) => {
    const { spec, ...rest } = definition('typed', 'Typed');
    const schema = { openAPIV3Schema: { type: 'object', properties: { a } } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const answer = await client.post(CRDS, { ...rest, spec: { ...spec, versions } });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(why)]);
  });

  it('K-20: an empty list in the place of a schema counts as absent, and an empty default as a value', async () => {
    const { spec, ...rest } = definition('empties', 'Empty');
    const withSchema = (a: object): object => {
      const schema = { openAPIV3Schema: { type: 'object', properties: { a } } };
      return { ...rest, spec: { ...spec, versions: [{ name: 'v1', served: true, storage: true, schema }] } };
    };
    const created = await client.post(`${CRDS}?dryRun=All`, withSchema({ type: 'object', items: [] }));
    expect(created.body.spec).toMatchObject({
      versions: [{ schema: { openAPIV3Schema: { properties: { a: { type: 'object' } } } } }],
    });
    expect(created.text).not.toContain('items');
    const refused = await client.post(CRDS, withSchema({ type: 'object', not: { default: '' } }));
    expect(refused.body.message).toContain('properties[a].not.default: Forbidden: must be undefined to be structural');
  });

  it.each([
    { annotations: {}, answer: 'Required value: protected groups must have approval annotation' },
    { annotations: { 'api-approved.kubernetes.io': 'yes' }, answer: 'with either a URL or a reason starting with' },
    { annotations: { 'api-approved.kubernetes.io': 'unapproved, experimental-only' }, answer: undefined },
    { annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/enhancements' }, answer: undefined },
  ])('a definition in a protected group needs an approval: $annotations', async ({ annotations, answer }) => {
    const { metadata, spec, ...rest } = definition('gizmos', 'Gizmo');
    const body = {
      ...rest,
      metadata: { ...metadata, name: 'gizmos.sets.k8s.io', annotations },
      spec: { ...spec, group: 'sets.k8s.io' },
    };
    const { status, text } = await client.post(`${CRDS}?dryRun=All`, body);
    expect(status).toBe(answer === undefined ? 201 : 422);
    if (answer !== undefined) expect(text).toContain(answer);
  });

  it('K-19: establishes a definition and adds its kind to discovery', async () => {
    await client.post(CRDS, definition('gadgets', 'Gadget'));
    const watch = await client.watch(`${CRDS}?watch=true&fieldSelector=metadata.name%3Dgadgets.example.com`);
    let event = await watch.next();
    while (event && !event.object.status) event = await watch.next();
    watch.close();
    expect(event?.object.status).toMatchObject({
      acceptedNames: { plural: 'gadgets', kind: 'Gadget', singular: 'gadget', listKind: 'GadgetList' },
      storedVersions: ['v1'],
      conditions: [
        { type: 'NamesAccepted', status: 'True' },
        { type: 'Established', status: 'True' },
      ],
    });
    const { body } = await client.get('/apis/example.com/v1');
    const gadgets = expect.objectContaining({ name: 'gadgets', kind: 'Gadget' });
    expect(body).toHaveProperty('resources', expect.arrayContaining([gadgets]));
  });

  it('K-19: serves a kind that was installed at the start, in each of its versions', async () => {
    await client.post(widgets, widget('one', 1));
    expect((await client.get(`${widgets}/one`)).body).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { size: 1 },
      metadata: { generation: 1 },
    });
    const beta = '/apis/example.com/v1beta1/namespaces/default/widgets';
    expect((await client.get(`${beta}/one`)).body.apiVersion).toBe('example.com/v1beta1');
    expect((await client.get(beta)).body.items[0]).toMatchObject({ apiVersion: 'example.com/v1beta1', kind: 'Widget' });
    const watch = await client.watch(`${beta}?watch=true`);
    expect((await watch.next())?.object.apiVersion).toBe('example.com/v1beta1');
    watch.close();
    await client.patch(`${beta}/one`, { spec: { size: 2 } });
    expect((await client.get(`${widgets}/one`)).body).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { size: 2 },
    });
  });

  it('K-19: supports the status subresource, printer columns and selectable fields', async () => {
    await client.post(widgets, widget('two', 7));
    const { body } = await client.patch(`${widgets}/two/status`, { status: { ready: true }, spec: { size: 8 } });
    expect(body).toMatchObject({ spec: { size: 7 }, status: { ready: true }, metadata: { generation: 1 } });
    const table = await client.get(`${widgets}/two`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(table.body.rows[0]?.cells).toEqual(['two', 7]);
    expect((await client.get(`${widgets}?fieldSelector=spec.size%3D7`)).body.items).toHaveLength(1);
  });

  it('K-12: refuses a strategic merge patch', async () => {
    await client.post(widgets, widget('three', 3));
    expect((await client.patch(`${widgets}/three`, {}, 'strategic-merge-patch')).status).toBe(415);
  });

  it('K-19: refuses a contradictory definition', async () => {
    const misnamed = { ...definition('things', 'Thing'), metadata: { name: 'other.example.com' } };
    const { status, body } = await client.post(CRDS, misnamed);
    expect(status).toBe(422);
    expect(body.message).toContain('must be spec.names.plural+"."+spec.group');
    const incomplete = { ...definition('things', 'Thing'), spec: { group: 'example.com' } };
    expect((await client.post(CRDS, incomplete)).status).toBe(422);
  });

  it('K-19: deleting a definition deletes its objects, ends its watches and stops serving its kind', async () => {
    await client.post(CRDS, definition('doomed', 'Doomed'));
    const path = '/apis/example.com/v1/namespaces/default/doomed';
    await client.post(path, { apiVersion: 'example.com/v1', kind: 'Doomed', metadata: { name: 'a' } });
    const watch = await client.watch(`${path}?watch=true`);
    await watch.take(1);
    await client.delete(`${CRDS}/doomed.example.com`);
    expect(await watch.next()).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'a' } } });
    expect(await watch.next()).toBeUndefined();
    expect((await client.get(path)).status).toBe(404);
    expect((await client.get(`${CRDS}/doomed.example.com`)).status).toBe(404);
  });
});
