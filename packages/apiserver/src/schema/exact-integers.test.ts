import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { encodeObject } from '../protobuf/envelope.ts';
import { messages } from '../protobuf/messages.ts';
import { RawClient } from '../raw-client.fixture.ts';

const COUNTS = '/apis/example.com/v1/namespaces/default/counts';
const PODS = '/api/v1/namespaces/default/pods';

const counts = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'counts.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'counts', kind: 'Count' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

describe('integers beyond 2^53', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane({ crds: [counts] });
    client = new RawClient(plane.config);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  const json = (name: string, value: string): string =>
    `{"apiVersion":"example.com/v1","kind":"Count","metadata":{"name":"${name}"},"n":${value}}`;
  const refused = (integer: string): object => ({
    status: 501,
    body: {
      reason: 'NotImplemented',
      message: expect.stringContaining(`the integer ${integer} is not supported`) as unknown,
    },
  });

  it.each([
    '9007199254740993',
    '-9007199254740993',
    '1152921504606846976',
    '9223372036854775807',
    '-9223372036854775808',
  ])('K-19: refuses %s instead of rounding it', async (integer) => {
    const headers = { 'content-type': 'application/json' };
    expect(await client.request('POST', COUNTS, { body: json('big', integer), headers })).toMatchObject(
      refused(integer),
    );
    expect((await client.get(`${COUNTS}/big`)).status).toBe(404);
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    // A double writes these with the same digits.
    ['9007199254740992', 9007199254740992],
    ['1152921504606847000', 2 ** 60],
    ['0.12345678901234567890', Number('0.12345678901234567890')],
    ['12345678901234567890123', Number('12345678901234567890123')],
    ['1e300', 1e300],
    ['"9007199254740993"', '9007199254740993'],
  ])('K-19: accepts %s', async (text, value) => {
    const body = json(`accepted-${Buffer.from(text).toString('hex')}`, text);
    const answer = await client.request('POST', COUNTS, { body, headers: { 'content-type': 'application/json' } });
    expect([answer.status, (answer.body as unknown as { n: unknown }).n]).toEqual([201, value]);
  });

  it.each([
    ['application/json-patch+json', '[{"op":"add","path":"/n","value":9007199254740993}]'],
    ['application/merge-patch+json', '{"n":9007199254740993}'],
    ['application/apply-patch+yaml', json('patched', '9007199254740993')],
    [
      'application/apply-patch+yaml',
      'apiVersion: example.com/v1\nkind: Count\nmetadata: {name: patched}\nn: 9007199254740993',
    ],
  ])('K-12, K-13: refuses one in a body of type %s', async (type, body) => {
    await client.request('POST', COUNTS, {
      body: json('patched', '1'),
      headers: { 'content-type': 'application/json' },
    });
    const path = `${COUNTS}/patched?fieldManager=m${type.includes('apply') ? '&force=true' : ''}`;
    const headers = { 'content-type': type };
    expect(await client.request('PATCH', path, { body, headers })).toMatchObject(refused('9007199254740993'));
  });

  it.each([
    [
      'POST',
      '',
      'application/json',
      json('huge', '1e400'),
      'json: cannot unmarshal number 1e400 into Go value of type float64',
    ],
    [
      'PATCH',
      '/patched',
      'application/merge-patch+json',
      '{"n":-1e400}',
      'error decoding patch: json: cannot unmarshal number -1e400 into Go value of type float64',
    ],
    [
      'PATCH',
      '/patched',
      'application/json-patch+json',
      '[{"op":"add","path":"/n","value":1e400}]',
      'error decoding patch: json: cannot unmarshal number 1e400 into Go struct field jsonPatchOp.value of type float64',
    ],
  ])('K-19: refuses a number beyond those of a double in a %s %s', async (method, path, type, body, message) => {
    const headers = { 'content-type': type };
    await client.request('POST', COUNTS, {
      body: json('patched', '1'),
      headers: { 'content-type': 'application/json' },
    });
    const answer = await client.request(method, `${COUNTS}${path}`, { body, headers });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('K-12: a test of a JSON patch compares the texts of numbers', async () => {
    await client.request('POST', COUNTS, {
      body: json('tested', '1'),
      headers: { 'content-type': 'application/json' },
    });
    const test = async (value: string): Promise<number> => {
      const body = `[{"op":"test","path":"/n","value":${value}}]`;
      const headers = { 'content-type': 'application/json-patch+json' };
      return (await client.request('PATCH', `${COUNTS}/tested`, { body, headers })).status;
    };
    expect([await test('1'), await test('1.0'), await test('1e0')]).toEqual([200, 422, 422]);
  });

  const applyPod = async (name: string, spec: object): Promise<unknown> => {
    const containers = [{ name: 'a', image: 'b' }];
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { ...spec, containers } });
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    return client.request('PATCH', `${PODS}/${name}?fieldManager=m`, { body, headers });
  };

  it('K-13: an apply converts a larger number to the smallest integer of 64 bits, which the kind refuses', async () => {
    const message = 'spec.activeDeadlineSeconds: Invalid value: -9223372036854775808: must be between 1 and 2147483647';
    expect(await applyPod('deadline', { activeDeadlineSeconds: 1e300 })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining(message) as unknown },
    });
  });

  it('K-13: refuses to store the smallest integer of 64 bits', async () => {
    const tolerations = [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1e300 }];
    expect(await applyPod('tolerant', { tolerations })).toMatchObject(refused('-9223372036854775808'));
    expect((await client.get(`${PODS}/tolerant`)).status).toBe(404);
  });

  it('K-19: refuses an integer just below those of 64 bits in a built-in object', async () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'below' } };
    const spec = { activeDeadlineSeconds: 7, containers: [{ name: 'a', image: 'b' }] };
    const body = JSON.stringify({ ...pod, spec }).replace('7', '-9223372036854775809');
    const answer = await client.request('POST', PODS, { body, headers: { 'content-type': 'application/json' } });
    expect([answer.status, answer.body.message]).toEqual([
      400,
      expect.stringContaining(
        'cannot unmarshal number -9223372036854775809 into Go struct field PodSpec.spec.activeDeadlineSeconds of type int64',
      ),
    ]);
  });

  it('K-19: stores a negative zero in an integer field as zero', async () => {
    const body = JSON.stringify({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'zero' },
      spec: {
        backoffLimit: 7,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } },
      },
    }).replace('7', '-0');
    const headers = { 'content-type': 'application/json' };
    const path = '/apis/batch/v1/namespaces/default/jobs';
    const created = await client.request('POST', path, { body, headers });
    const updated = await client.request('PUT', `${path}/zero`, { body: created.text.replace('":0', '":-0'), headers });
    expect([created.body.metadata.generation, updated.body.metadata.generation]).toEqual([1, 1]);
  });

  it('K-23: refuses one in protobuf, and in a built-in object', async () => {
    const kind = { apiVersion: 'v1', kind: 'Pod' };
    const message = messages.ofKind('v1', 'Pod');
    if (!message) throw new Error('no message of Pod');
    const object = (user: number): object => ({
      metadata: { name: 'large' },
      spec: { containers: [{ name: 'a', image: 'b' }], securityContext: { runAsUser: user } },
    });
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
    const body = encodeObject(message, kind, object(2 ** 60));
    expect((await client.request('POST', PODS, { body, headers })).status).toBe(501);
    const text = JSON.stringify({ ...kind, ...object(7) }).replace('7', '9223372036854775807');
    expect(
      (await client.request('POST', PODS, { body: text, headers: { 'content-type': 'application/json' } })).status,
    ).toBe(501);
  });
});
