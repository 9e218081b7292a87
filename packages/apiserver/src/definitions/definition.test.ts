import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ROOT = 'spec.validation.openAPIV3Schema';

interface Definition {
  readonly plural?: string;
  readonly spec?: object;
  readonly version?: object;
}

/** Returns a definition with one version. */
function definition(schema: unknown, { plural = 'lamps', spec, version }: Definition = {}) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind: 'Lamp' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
      ...spec,
    },
  };
}

const object = (properties: object): object => ({ type: 'object', properties });

describe('the judgement of definitions', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane();
    client = new RawClient(plane.config);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  const causesOf = async (body: object): Promise<string[]> => {
    const { status, body: answer } = await client.post(`${CRDS}?dryRun=All`, body);
    if (status === 201) return [];
    const causes = answer.details.causes as readonly { field: string; message: string }[];
    return causes.map(({ field, message }) => `${field}: ${message}`);
  };

  it.each([
    {
      title: 'a missing type',
      schema: { properties: {} },
      cause: `${ROOT}.type: Required value: must not be empty at the root`,
    },
    {
      title: 'a property without a type',
      schema: object({ a: {} }),
      cause: `${ROOT}.properties[a].type: Required value: must not be empty for specified object fields`,
    },
    {
      title: 'items without a type',
      schema: object({ a: { type: 'array', items: {} } }),
      cause: `${ROOT}.properties[a].items.type: Required value: must not be empty for specified array items`,
    },
    {
      title: 'a list without items',
      schema: object({ a: { type: 'array' } }),
      cause: `${ROOT}.properties[a].items: Required value: must be specified`,
    },
    {
      title: 'a type in a combinator',
      schema: { type: 'object', properties: { a: { type: 'string', anyOf: [{ type: 'string' }] } } },
      cause: `${ROOT}.properties[a].anyOf[0].type: Forbidden: must be empty to be structural`,
    },
    {
      title: 'a property that only a combinator specifies',
      schema: { type: 'object', allOf: [{ properties: { b: { minimum: 1 } } }] },
      cause: `${ROOT}.properties[b]: Required value: because it is defined in ${ROOT}.allOf[0].properties[b]`,
    },
    {
      title: 'restrictions of metadata',
      schema: object({ metadata: { type: 'object', properties: { labels: { type: 'object' } } } }),
      cause: `${ROOT}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`,
    },
    {
      title: 'an embedded resource without fields',
      schema: object({ a: { type: 'object', 'x-kubernetes-embedded-resource': true } }),
      cause: `${ROOT}.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
    },
    {
      title: 'a pattern that Go does not know',
      schema: object({ a: { type: 'string', pattern: 'a(?=b)' } }),
      cause: `${ROOT}.properties[a].pattern: Invalid value: "a(?=b)": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: \`(?=\``,
    },
    {
      title: 'a default of the wrong type',
      schema: object({ a: { type: 'string', default: 5 } }),
      cause: `${ROOT}.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"`,
    },
    {
      title: 'a default with unknown fields',
      schema: object({ a: { type: 'object', properties: {}, default: { b: 1 } } }),
      cause: `${ROOT}.properties[a].default: Invalid value: {"b":1}: must not have unknown fields`,
    },
    {
      title: 'a set of objects',
      schema: object({ a: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' } }),
      cause: `${ROOT}.properties[a].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
    },
    {
      title: 'a key that may be absent',
      schema: object({
        a: {
          type: 'array',
          items: object({ k: { type: 'string' } }),
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
        },
      }),
      cause: `${ROOT}.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
    },
    {
      title: 'unique items',
      schema: object({ a: { type: 'array', items: { type: 'string' }, uniqueItems: true } }),
      cause: `${ROOT}.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
    },
    {
      title: 'an unknown type',
      schema: object({ a: { type: 'text' } }),
      cause: `${ROOT}.properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    },
  ])('K-26: refuses $title', async ({ schema, cause }) => {
    expect(await causesOf(definition(schema))).toContain(cause);
  });

  it.each([
    {
      title: 'a group without a dot',
      body: definition({ type: 'object' }, { spec: { group: 'example' } }),
      cause: 'spec.group: Invalid value: "example": should be a domain with at least one dot',
    },
    {
      title: 'an unknown scope',
      body: definition({ type: 'object' }, { spec: { scope: 'World' } }),
      cause: 'spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"',
    },
    {
      title: 'a version without a schema',
      body: definition(undefined),
      cause: 'spec.versions[0].schema.openAPIV3Schema: Required value',
    },
    {
      title: 'a scale path outside of the spec',
      body: definition(
        { type: 'object' },
        { version: { subresources: { scale: { specReplicasPath: '.replicas', statusReplicasPath: '.status.n' } } } },
      ),
      cause: 'spec.subresources.scale.specReplicasPath: Invalid value: ".replicas": should be a json path under .spec',
    },
    {
      title: 'a printer column of an unknown type',
      body: definition(
        { type: 'object' },
        { version: { additionalPrinterColumns: [{ name: 'A', type: 'text', jsonPath: '.a' }] } },
      ),
      cause:
        'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
    },
    {
      title: 'a selectable field that does not exist',
      body: definition({ type: 'object' }, { version: { selectableFields: [{ jsonPath: '.spec.a' }] } }),
      cause:
        'spec.selectableFields[0].jsonPath: Invalid value: ".spec.a": is an invalid path: does not refer to a valid field',
    },
    {
      title: 'a conversion without a webhook',
      body: definition({ type: 'object' }, { spec: { conversion: { strategy: 'Webhook' } } }),
      cause: 'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
    },
  ])('K-26: refuses $title', async ({ body, cause }) => {
    expect(await causesOf(body)).toContain(cause);
  });

  it('K-26: refuses a field of the wrong type with 400', async () => {
    const { status, body } = await client.post(CRDS, definition({ type: 5 }));
    expect([status, body.message]).toEqual([
      400,
      'CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.type of type string',
    ]);
  });

  it('K-26: warns about unknown fields and formats of a schema', async () => {
    const body = definition(object({ a: { type: 'string', format: 'funny', colour: 'red' } }));
    const { status, headers } = await client.post(`${CRDS}?dryRun=All`, body);
    expect(status).toBe(201);
    expect(headers['warning']).toContain(
      'unknown field \\"spec.versions[0].schema.openAPIV3Schema.properties.a.colour',
    );
    expect(headers['warning']).toContain('unrecognized format \\"funny\\"');
  });

  it('K-26: judges rules within a schema of an unknown type, which has none for expressions', async () => {
    const rule = (text: string): object => ({ 'x-kubernetes-validations': [{ rule: text }] });
    const inside = { type: 'string', ...rule('true') };
    const odd = { type: 'a.b', properties: { a: inside }, ...rule('self.') };
    const causes = await causesOf(definition(object({ odd, even: { type: 'string', ...rule('1') } })));
    const at = `${ROOT}.properties[odd]`;
    expect(causes.toSorted()).toEqual([
      expect.stringContaining(`${ROOT}.properties[even].x-kubernetes-validations[0].rule: Invalid value: `),
      `${at}.properties[a].x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations`,
      `${at}.type: Unsupported value: "a.b": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    ]);
  });

  it('K-26: writes whether a version is served even if it is not', async () => {
    const body = definition(object({}), { version: { served: null } });
    const answer = await client.post(`${CRDS}?dryRun=All`, body);
    expect(answer.body).toMatchObject({ spec: { versions: [{ served: false, storage: true }] } });
  });

  it('K-26: accepts what upstream calls structural', async () => {
    const schema = object({
      size: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      free: { 'x-kubernetes-preserve-unknown-fields': true },
      pod: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 10 } } },
      ports: {
        type: 'array',
        items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
    });
    expect(await causesOf(definition(schema))).toEqual([]);
  });

  it('K-26: names of another definition of the group are not accepted until it is deleted', async () => {
    const conditionsOf = async (name: string): Promise<Record<string, string>> => {
      const { status } = (await client.get(`${CRDS}/${name}.example.com`)).body as {
        status: { conditions?: { type: string; status: string; reason: string; message: string }[] };
      };
      return Object.fromEntries(
        (status.conditions ?? []).map((one) => [one.type, `${one.status} ${one.reason}: ${one.message}`]),
      );
    };
    await client.post(
      CRDS,
      definition({ type: 'object' }, { plural: 'firsts', spec: { names: { plural: 'firsts', kind: 'Twin' } } }),
    );
    await client.post(
      CRDS,
      definition({ type: 'object' }, { plural: 'seconds', spec: { names: { plural: 'seconds', kind: 'Twin' } } }),
    );
    const established = 'True InitialNamesAccepted: the initial names have been accepted';
    expect(await conditionsOf('firsts')).toEqual({
      NamesAccepted: 'True NoConflicts: no conflicts found',
      Established: established,
    });
    expect(await conditionsOf('seconds')).toEqual({
      NamesAccepted: 'False ListKindConflict: "TwinList" is already in use',
      Established: 'False NotAccepted: not all names are accepted',
    });
    expect((await client.get('/apis/example.com/v1/seconds')).status).toBe(404);
    await client.delete(`${CRDS}/firsts.example.com`);
    expect(await conditionsOf('seconds')).toMatchObject({ Established: established });
    await client.delete(`${CRDS}/seconds.example.com`);
  });

  it('K-26: scope, kind and stored versions of an established definition do not change', async () => {
    await client.post(
      CRDS,
      definition({ type: 'object' }, { plural: 'fixed', spec: { names: { plural: 'fixed', kind: 'Fixed' } } }),
    );
    const path = `${CRDS}/fixed.example.com`;
    const { body } = await client.patch(path, {
      spec: { scope: 'Cluster', names: { kind: 'Other' } },
    });
    expect(body.message).toContain('spec.scope: Invalid value: "Cluster": field is immutable');
    expect(body.message).toContain('spec.names.kind: Invalid value: "Other": field is immutable');
    const schema = { openAPIV3Schema: { type: 'object' } };
    const renamed = await client.patch(path, {
      spec: { versions: [{ name: 'v2', served: true, storage: true, schema }] },
    });
    expect(renamed.body.message).toContain('status.storedVersions[0]: Invalid value: "v1": missing from spec.versions');
    const versions = [
      { name: 'v1', served: true, storage: false, schema },
      { name: 'v2', served: true, storage: true, schema },
    ];
    const added = await client.patch(path, { spec: { versions } });
    expect(added.body.status).toMatchObject({ storedVersions: ['v1', 'v2'] });
  });

  it('K-26: rewrites the version of stored objects when the storage version changes, and stores it on the next write', async () => {
    const names = { plural: 'moved', kind: 'Moved' };
    const versions = (stored: string): object[] =>
      ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: name === stored,
        schema: { openAPIV3Schema: object({ spec: object({ a: { type: 'integer' } }) }) },
      }));
    const body = definition({ type: 'object' }, { plural: 'moved', spec: { names, versions: versions('v1') } });
    await client.post(CRDS, body);
    const path = (version: string): string => `/apis/example.com/${version}/namespaces/default/moved`;
    const moved = { apiVersion: 'example.com/v1', kind: 'Moved', metadata: { name: 'm' }, spec: { a: 1 } };
    await client.post(path('v1'), moved);
    await client.patch(`${CRDS}/moved.example.com`, { spec: { versions: versions('v2') } });
    for (const version of ['v1', 'v2']) {
      const apiVersion = `example.com/${version}`;
      expect((await client.get(`${path(version)}/m`)).body.apiVersion).toBe(apiVersion);
      expect((await client.get(path(version))).body.items[0]?.apiVersion).toBe(apiVersion);
    }
    const { body: written } = await client.patch(`${path('v1')}/m`, { metadata: { labels: { a: 'b' } } });
    expect(written).toMatchObject({ apiVersion: 'example.com/v1', metadata: { generation: 1 } });
  });

  it('K-18: cells of printer columns have the types of the definition, and read JSON paths', async () => {
    const columns = [
      { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: 'Count', type: 'integer', jsonPath: '.spec.count' },
      { name: 'First', type: 'string', jsonPath: '.spec.list[0]' },
      { name: 'Text', type: 'integer', jsonPath: '.spec.text' },
      { name: 'On', type: 'boolean', jsonPath: '.spec.on' },
      { name: 'Since', type: 'date', jsonPath: '.spec.since' },
      { name: 'All', type: 'string', jsonPath: '.spec.list' },
    ];
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const names = { plural: 'tabled', kind: 'Tabled' };
    const version = { additionalPrinterColumns: columns };
    await client.post(CRDS, definition(open, { plural: 'tabled', spec: { names }, version }));
    const path = '/apis/example.com/v1/namespaces/default/tabled';
    await client.post(path, {
      apiVersion: 'example.com/v1',
      kind: 'Tabled',
      metadata: { name: 't' },
      spec: { count: 3, list: ['a', 'b'], text: 'x', on: true, since: 'never' },
      status: {
        conditions: [
          { type: 'Other', status: 'False' },
          { type: 'Ready', status: 'True' },
        ],
      },
    });
    const { body } = await client.get(path, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(body.rows[0]?.cells).toEqual(['t', 'True', 3, 'a', null, true, '<invalid>', '["a","b"]']);
  });
});
