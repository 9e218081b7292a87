import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ENGINES = '/apis/example.com/v1/namespaces/default/engines';

const spec = {
  type: 'object',
  required: ['fuel'],
  properties: {
    fuel: { type: 'string', enum: ['diesel', 'electric'] },
    power: { type: 'integer', minimum: 1, default: 100 },
    maxSurge: { 'x-kubernetes-int-or-string': true },
    parts: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } },
      },
    },
    options: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { known: { type: 'string' } },
    },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    template: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
    note: { type: 'string', nullable: true, default: 'none' },
  },
};

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'engines.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'engines', kind: 'Engine', shortNames: ['eng'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Power', type: 'integer', jsonPath: '.spec.power' },
          { name: 'Fuel', type: 'string', jsonPath: '.spec.fuel', priority: 1 },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: { spec, status: { type: 'object', properties: { hours: { type: 'integer', minimum: 0 } } } },
          },
        },
      },
      {
        name: 'v2',
        served: true,
        storage: false,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  fuel: { type: 'string' },
                  power: { type: 'integer', maximum: 5 },
                  cargo: { type: 'string' },
                },
              },
            },
          },
        },
      },
      { name: 'v0', served: false, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
  },
};

describe('objects of custom kinds', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane({ crds: [definition] });
    client = new RawClient(plane.config);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  const engine = (name: string, fields: unknown, version = 'v1'): object => ({
    apiVersion: `example.com/${version}`,
    kind: 'Engine',
    metadata: { name },
    spec: fields,
  });

  it('K-19: an object that violates its schema is refused with 422 and every cause', async () => {
    const { status, body } = await client.post(
      ENGINES,
      engine('wrong', { fuel: 'coal', power: '1', maxSurge: true, parts: [{ count: 2 }] }),
    );
    expect(status).toBe(422);
    expect(body).toMatchObject({ reason: 'Invalid', details: { group: 'example.com', kind: 'Engine', name: 'wrong' } });
    expect(body.message).toBe(
      'Engine.example.com "wrong" is invalid: [' +
        'spec.fuel: Unsupported value: "coal": supported values: "diesel", "electric", ' +
        'spec.power: Invalid value: "string": spec.power in body must be of type integer: "string", ' +
        'spec.maxSurge: Invalid value: "boolean": spec.maxSurge in body must be of type integer,string: "boolean", ' +
        'spec.parts[0].name: Required value]',
    );
    expect(body.details.causes).toContainEqual({
      reason: 'FieldValueRequired',
      message: 'Required value',
      field: 'spec.parts[0].name',
    });
    expect((await client.post(ENGINES, engine('wrong', undefined))).body.message).toContain('spec: Required value');
  });

  it('K-19: updates, patches and status writes are validated like creates', async () => {
    const { body } = await client.post(ENGINES, engine('checked', { fuel: 'diesel' }));
    const path = `${ENGINES}/checked`;
    expect((await client.put(path, { ...body, spec: { fuel: 'coal' } })).status).toBe(422);
    expect((await client.patch(path, { spec: { power: 0 } })).body.message).toContain(
      'should be greater than or equal to 1',
    );
    expect(
      (await client.apply(path, engine('checked', { fuel: 'diesel', power: 0 }), 'me', '&force=true')).status,
    ).toBe(422);
    const hours = await client.patch(`${path}/status`, { status: { hours: -1 } });
    expect(hours.body.message).toContain('status.hours: Invalid value: -1');
    expect((await client.get(path)).body).toEqual(body);
  });

  it('K-19: absent fields get their defaults, also in list items, and null is replaced where it is not allowed', async () => {
    const { body } = await client.post(
      ENGINES,
      engine('defaulted', { fuel: 'diesel', power: null, parts: [{ name: 'a' }] }),
    );
    expect(body.spec).toEqual({ fuel: 'diesel', power: 100, parts: [{ name: 'a', count: 1 }], note: 'none' });
    const kept = await client.post(ENGINES, engine('kept', { fuel: 'diesel', power: 5, note: null }));
    expect(kept.body.spec).toEqual({ fuel: 'diesel', power: 5, note: null });
  });

  it('K-19: unknown fields are pruned, except where the schema preserves them', async () => {
    const { body } = await client.post(ENGINES, {
      ...engine('pruned', {
        fuel: 'diesel',
        colour: 'red',
        options: { known: 'a', unknown: { deep: true } },
        labels: { any: 'thing' },
        template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: { a: 1 }, other: 1 },
      }),
      extra: true,
    });
    expect(body).not.toHaveProperty('extra');
    expect(body.spec).toEqual({
      fuel: 'diesel',
      power: 100,
      note: 'none',
      options: { known: 'a', unknown: { deep: true } },
      labels: { any: 'thing' },
      template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: {} },
    });
  });

  it('K-19: each version has its own schema; a version that is not served is not found', async () => {
    const second = ENGINES.replace('v1', 'v2');
    const { status, body } = await client.post(second, engine('second', { fuel: 'wood', power: 9 }, 'v2'));
    expect([status, body.message]).toEqual([
      422,
      'Engine.example.com "second" is invalid: spec.power: Invalid value: 9: spec.power in body should be less than or equal to 5',
    ]);
    const created = await client.post(second, engine('second', { fuel: 'wood', cargo: 'coal' }, 'v2'));
    // v1 is stored: it has these defaults, but no cargo. v2 has no note.
    expect(created.body.spec).toEqual({ fuel: 'wood', power: 100 });
    expect((await client.get(`${second}/second`)).body.spec).toEqual({ fuel: 'wood', power: 100 });
    expect((await client.get(`${ENGINES}/second`)).body).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { fuel: 'wood', power: 100, note: 'none' },
    });
    expect((await client.get(ENGINES.replace('v1', 'v0'))).status).toBe(404);
    expect((await client.get('/apis/example.com')).body).toMatchObject({
      versions: [{ version: 'v2' }, { version: 'v1' }],
      preferredVersion: { version: 'v2' },
    });
  });

  it('K-18: tables of a custom kind have the columns of its definition', async () => {
    await client.post(ENGINES, engine('tabled', { fuel: 'diesel', power: 7 }));
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { body } = await client.get(`${ENGINES}?fieldSelector=metadata.name%3Dtabled`, { accept });
    expect(body.columnDefinitions).toMatchObject([
      { name: 'Name' },
      {
        name: 'Power',
        priority: 0,
        description: 'Custom resource definition column (in JSONPath format): .spec.power',
      },
      { name: 'Fuel', priority: 1 },
    ]);
    expect(body.rows.map(({ cells }) => cells)).toEqual([['tabled', 7, 'diesel']]);
  });

  it('K-14: deletecollection of a custom kind accepts a selector', async () => {
    const labelled = (name: string, labels: object): object => ({
      ...engine(name, { fuel: 'diesel' }),
      metadata: { name, labels },
    });
    await client.post(ENGINES, labelled('old-1', { age: 'old' }));
    await client.post(ENGINES, labelled('old-2', { age: 'old' }));
    await client.post(ENGINES, labelled('young', { age: 'young' }));
    const { body } = await client.delete(`${ENGINES}?labelSelector=age%3Dold`);
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['old-1', 'old-2']);
    expect((await client.get(`${ENGINES}?labelSelector=age`)).body.items.map(({ metadata }) => metadata.name)).toEqual([
      'young',
    ]);
  });

  it('K-19: a changed schema applies to later writes', async () => {
    const changing = {
      ...definition,
      metadata: { name: 'gears.example.com' },
      spec: { ...definition.spec, names: { plural: 'gears', kind: 'Gear' } },
    };
    await client.post(CRDS, changing);
    const path = ENGINES.replace('engines', 'gears');
    const gear = (name: string): object => ({
      apiVersion: 'example.com/v1',
      kind: 'Gear',
      metadata: { name },
      spec: { fuel: 'gas' },
    });
    expect((await client.post(path, gear('a'))).status).toBe(422);
    const patched = await client.patch(
      `${CRDS}/gears.example.com`,
      [
        {
          op: 'add',
          path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/fuel/enum/-',
          value: 'gas',
        },
      ],
      'json-patch',
    );
    expect(patched.status).toBe(200);
    expect((await client.post(path, gear('a'))).status).toBe(201);
  });

  it('K-19: a write of the status is not judged by the rest of the object', async () => {
    const later = structuredClone({
      ...definition,
      metadata: { name: 'pumps.example.com' },
      spec: { ...definition.spec, names: { plural: 'pumps', kind: 'Pump' } },
    });
    await client.post(CRDS, later);
    const path = ENGINES.replace('engines', 'pumps');
    const pump = { apiVersion: 'example.com/v1', kind: 'Pump', metadata: { name: 'a' }, spec: { fuel: 'electric' } };
    expect((await client.post(path, pump)).status).toBe(201);
    const schema = '/spec/versions/0/schema/openAPIV3Schema';
    const required = [{ op: 'add', path: `${schema}/required`, value: ['spec', 'status'] }];
    expect((await client.patch(`${CRDS}/pumps.example.com`, required, 'json-patch')).status).toBe(200);
    expect((await client.patch(`${path}/a`, { metadata: { labels: { a: 'b' } } })).status).toBe(422);
    const marked = await client.patch(`${path}/a/status`, { metadata: { annotations: { a: 'b' } } });
    expect([marked.status, marked.body.status]).toEqual([200, undefined]);
  });

  it('K-19: refuses a definition with an invalid schema', async () => {
    const broken = {
      ...definition,
      metadata: { name: 'broken.example.com' },
      spec: {
        ...definition.spec,
        names: { plural: 'broken', kind: 'Broken' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { a: { type: 'text' } } } },
          },
        ],
      },
    };
    const { status, body } = await client.post(CRDS, broken);
    expect(status).toBe(422);
    expect(body.message).toContain('openAPIV3Schema.properties[a].type');
  });
});
