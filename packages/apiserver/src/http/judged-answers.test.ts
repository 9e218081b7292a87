import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const NAMESPACE = 'namespaces/default';
const SECRETS = `/api/v1/${NAMESPACE}/secrets`;
const DEPLOYMENTS = `/apis/apps/v1/${NAMESPACE}/deployments`;
const EVENTS = `/apis/events.k8s.io/v1/${NAMESPACE}/events`;
const WIDGETS = `/apis/example.com/v1/${NAMESPACE}/widgets`;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const APPLY = 'application/apply-patch+yaml';
const HEAD = '"apiVersion":"example.com/v1","kind":"Widget"';

function definition(name: string, schema: object): object {
  const [plural = '', ...group] = name.split('.');
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group: group.join('.'),
      scope: 'Namespaced',
      names: { plural, kind: 'Widget' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } },
        { name: 'v1beta1', served: true, storage: false, schema: { openAPIV3Schema: OPEN } },
      ],
    },
  };
}

const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const SCHEMA = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, color: { type: 'string' } } } },
};

/** Returns a Deployment in JSON with the text of a number of replicas. */
function deployment(replicas: string): string {
  const template = '{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}';
  return `{"metadata":{"name":"d"},"spec":{"replicas":${replicas},"selector":{"matchLabels":{"a":"b"}},"template":${template}}}`;
}

type Row = readonly [method: string, path: string, type: string, body: string, status: number, message: string];

const JSON_TYPE = 'application/json';
const MERGE = 'application/merge-patch+json';
const OF_DEPLOYMENT = 'Deployment in version "v1" cannot be handled as a Deployment: ';
const OF_OPTIONS =
  'json: cannot unmarshal number 1e2 into Go struct field DeleteOptions.gracePeriodSeconds of type int64';
const OF_YAML = 'error decoding YAML: error converting YAML to JSON: yaml: ';

const queries: readonly Row[] = [
  ['GET', `${SECRETS}?limit=9007199254740993`, '', '', 200, ''],
  [
    'GET',
    `${SECRETS}?limit=9223372036854775808`,
    '',
    '',
    400,
    'strconv.ParseInt: parsing "9223372036854775808": value out of range',
  ],
  [
    ...(['GET', `${SECRETS}?resourceVersion=18446744073709551616`, '', '', 400] as const),
    'invalid resource version: resourceVersion: Invalid value: "18446744073709551616": strconv.ParseUint: parsing "18446744073709551616": value out of range',
  ],
  [
    'DELETE',
    `${SECRETS}?labelSelector=a%3Db&gracePeriodSeconds=x`,
    '',
    '',
    400,
    'strconv.ParseInt: parsing "x": invalid syntax',
  ],
  ['DELETE', `${SECRETS}/x`, JSON_TYPE, '{"gracePeriodSeconds":1e2}', 400, OF_OPTIONS],
  [
    ...(['DELETE', `${SECRETS}/x`, JSON_TYPE, '{"preconditions":{"uid":1}}', 400] as const),
    'json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID',
  ],
];

const numbers: readonly Row[] = ['1.0', '1e0', '0.0'].map((text) => [
  ...(['POST', DEPLOYMENTS, JSON_TYPE, deployment(text), 400] as const),
  `${OF_DEPLOYMENT}json: cannot unmarshal number ${text} into Go struct field DeploymentSpec.spec.replicas of type int32`,
]);

const bodies: readonly Row[] = [
  [
    ...([
      'POST',
      `/api/v1/${NAMESPACE}/services`,
      JSON_TYPE,
      '{"metadata":{"name":"s"},"spec":{"type":[]}}',
      400,
    ] as const),
    'Service in version "v1" cannot be handled as a Service: json: cannot unmarshal array into Go struct field ServiceSpec.spec.type of type v1.ServiceType',
  ],
  [
    ...(['POST', EVENTS, JSON_TYPE, '{"metadata":{"name":"e"},"eventTime":"2026-01-01T00:00:00Z"}', 400] as const),
    'Event in version "v1" cannot be handled as a Event: parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  ],
  ['PATCH', `${WIDGETS}/y?fieldManager=a`, APPLY, '{', 400, `${OF_YAML}line 1: did not find expected node content`],
  ['PATCH', `${WIDGETS}/y?fieldManager=a`, APPLY, '{"a":1', 400, `${OF_YAML}line 1: did not find expected ',' or '}'`],
  ['PATCH', `${WIDGETS}/y?fieldManager=a&dryRun=All`, APPLY, `{${HEAD},"metadata":{"name":"y"}}x`, 201, ''],
  [
    ...(['PATCH', `${WIDGETS}/y?fieldManager=a`, APPLY, `{${HEAD},"metadata":{"name":"y"},"spec":null}`, 422] as const),
    'Widget.example.com "y" is invalid: spec: Invalid value: "null": spec in body must be of type object: "null"',
  ],
  [
    'PATCH',
    `${WIDGETS}/w`,
    MERGE,
    '{"metadata":{"resourceVersion":"x"}}',
    500,
    'strconv.ParseUint: parsing "x": invalid syntax',
  ],
  [
    ...(['PUT', `${WIDGETS}/w?fieldValidation=Ignore`, JSON_TYPE, '{"metadata":{"name":"w"}}', 400] as const),
    `Widget in version "v1" cannot be handled as a Widget: Object 'Kind' is missing in '{"metadata":{"name":"w"}}'`,
  ],
];

// The messages are the answers of kube-apiserver v1.35.
describe('answers to requests that the judge found', () => {
  let controlPlane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    controlPlane = await createControlPlane();
    client = new RawClient(controlPlane.config);
    await client.post(DEFINITIONS, definition('widgets.example.com', SCHEMA));
    await client.post(WIDGETS, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
      spec: { size: 1 },
    });
  });

  afterAll(async () => {
    client[Symbol.dispose]();
    await controlPlane.stop();
  });

  const check = async ([method, path, type, body, status, message]: Row): Promise<void> => {
    const headers = type === '' ? {} : { 'content-type': type };
    const answer = await client.request(method, path, { headers, ...(body !== '' && { body: Buffer.from(body) }) });
    expect([answer.status, message === '' ? '' : answer.body.message]).toEqual([status, message]);
  };

  it('K-24: reads the numbers of queries and of options as Go does', async () => {
    for (const row of queries) await check(row);
  });

  it('K-20: refuses integers that are not written as integers', async () => {
    for (const row of numbers) await check(row);
  });

  it('K-20: answers invalid bodies with the errors of Go', async () => {
    for (const row of bodies) await check(row);
  });

  it('K-20: answers with the first wrong type of a body, in the metadata or before it', async () => {
    const path = `/api/v1/${NAMESPACE}/configmaps`;
    const answer = async (body: string): Promise<string> =>
      (await client.request('POST', path, { headers: { 'content-type': JSON_TYPE }, body: Buffer.from(body) })).body
        .message;
    const ofData = 'json: cannot unmarshal number into Go struct field ConfigMap.data of type string';
    const ofMetadata =
      'json: cannot unmarshal string into Go struct field ObjectMeta.metadata.generation of type int64';
    expect(await answer('{"data":{"a":1},"metadata":{"generation":"x"}}')).toContain(ofData);
    expect(await answer('{"metadata":{"generation":"x"},"data":{"a":1}}')).toContain(ofMetadata);
    expect(await answer('{"binaryData":{"a":"!"},"metadata":{"name":5}}')).toContain(
      'illegal base64 data at input byte 0',
    );
  });

  it('K-25: a manager owns the empty lists that it sent where they are stored as null', async () => {
    const slice = { metadata: { name: 'empty' }, addressType: 'IPv4', endpoints: null, ports: [] };
    const { body } = await client.post(`/apis/discovery.k8s.io/v1/${NAMESPACE}/endpointslices`, slice);
    expect(body).toMatchObject({ endpoints: null, ports: null });
    expect(body.metadata.managedFields[0]?.fieldsV1).toEqual({ 'f:addressType': {}, 'f:ports': {} });
  });

  it('K-15: checks the operations of JSON patches, and reports their unknown and duplicate fields', async () => {
    const path = `/api/v1/${NAMESPACE}/configmaps/ops`;
    await client.post(`/api/v1/${NAMESPACE}/configmaps`, { metadata: { name: 'ops' } });
    const patch = (body: string, query = '') =>
      client.request('PATCH', `${path}${query}`, { headers: { 'content-type': 'application/json-patch+json' }, body });
    expect((await patch('[5]')).body).toMatchObject({
      code: 400,
      message: 'error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp',
    });
    expect((await patch('[5]', '?fieldValidation=Ignore')).body).toMatchObject({
      code: 400,
      message: 'json: cannot unmarshal number into Go value of type jsonpatch.Operation',
    });
    const { status, headers } = await patch('[{"op":"test","op":"test","path":"/kind","value":"ConfigMap","x":1}]');
    expect(status).toBe(200);
    expect(headers['warning']).toContain(String.raw`json patch duplicate field \"[0].op\"`);
    expect(headers['warning']).toContain(String.raw`json patch unknown field \"[0].x\"`);
  });

  it('K-14: removes all managers if a version of one of them does not declare the fields of the object', async () => {
    const path = `/apis/example.com/v1beta1/${NAMESPACE}/widgets/w`;
    const patch = Buffer.from('{"spec":{"unknown":1}}');
    const { body } = await client.request('PATCH', path, { headers: { 'content-type': MERGE }, body: patch });
    expect([body.kind, body.metadata.managedFields]).toEqual(['Widget', undefined]);
  });

  it('K-10: warns of finalizers without a domain', async () => {
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'f', finalizers: ['a'] } };
    const { headers } = await client.post(`${WIDGETS}?dryRun=All`, widget);
    expect(headers['warning']).toContain('prefer a domain-qualified finalizer name to avoid accidental conflicts');
  });

  it.each([
    [
      'a list of schemas',
      { type: 'array', items: [{ type: 'string' }] },
      'items must be a schema object and not an array',
    ],
    ['items that are not a schema', { type: 'array', items: true }, 'must be specified'],
    ['a reference', { $ref: '#/x' }, '$ref is not supported'],
    ['additional items', { type: 'object', additionalItems: {} }, 'additionalItems is not supported'],
    [
      'additional properties of another type',
      { type: 'object', additionalProperties: 'x' },
      'boolean or JSON schema expected',
    ],
    [
      'additional properties of another type, after a schema of another type',
      { type: 'object', properties: { first: true, second: { type: 'object', additionalProperties: 'x' } } },
      'boolean or JSON schema expected',
    ],
  ])('K-9: refuses %s in a definition with one error', async (_title, added, message) => {
    const schema = { type: 'object', properties: { added } };
    const { body } = await client.post(`${DEFINITIONS}?dryRun=All`, definition('gadgets.example.org', schema));
    expect(body.message).toContain(message);
    // An error of the decoder has no causes.
    if (body.code === 422) expect(body.details.causes).toHaveLength(1);
  });
});
