import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';

const BIGS = '/apis/example.com/v1/namespaces/default/bigs';
const POD_TEMPLATES = '/api/v1/namespaces/default/podtemplates';

/** Largest spec of a created object that keeps its `managedFields`, by kube-apiserver v1.35 with etcd v3.6. */
const KEPT = 1_572_000;
/** Largest spec of a created object: without `managedFields`. */
const LARGEST = 1_572_536;

const big = (text: string): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Bigs',
  metadata: { name: 'big' },
  spec: text,
});

// The limits and the messages are those of kube-apiserver v1.35.
describe('the size of stored objects', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane();
    client = new RawClient(plane.config);
    await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'bigs.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'bigs', kind: 'Bigs' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'string' } } } },
          },
        ],
      },
    });
    while ((await client.get(BIGS)).status !== 200);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  const create = async (text: string): Promise<readonly [number, unknown]> => {
    const { status, body } = await client.post(BIGS, big(text));
    await client.delete(`${BIGS}/big`);
    return [status, status === 201 ? 'managedFields' in body.metadata : body];
  };
  const refused = (message: string): readonly [number, object] => [
    500,
    { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 },
  ];
  const TOO_LARGE = 'etcdserver: request is too large';

  it('K-10: refuses an object that is too large for etcd, after it tried without managedFields', async () => {
    expect(await create('x'.repeat(KEPT))).toEqual([201, true]);
    // The group is three bytes shorter than that of the object that was measured: in the key and in the object twice.
    expect(await create('x'.repeat(LARGEST))).toEqual([201, false]);
    expect(await create('x'.repeat(LARGEST + 10))).toEqual(refused(TOO_LARGE));
    // Go escapes characters of HTML.
    expect(await create('<'.repeat(LARGEST / 6 + 2))).toEqual(refused(TOO_LARGE));
  });

  it('K-11: refuses an update and an apply that are too large, and keeps the object', async () => {
    await client.post(BIGS, big('small'));
    const path = `${BIGS}/big`;
    expect((await client.patch(path, { spec: 'x'.repeat(1_600_000) })).body.message).toBe(TOO_LARGE);
    // An apply does not drop the managers.
    const applied = await client.apply(path, big('x'.repeat(1_572_480)), 'other', '&force=true');
    expect(applied.body.message).toBe(TOO_LARGE);
    expect((await client.patch(path, { spec: 'x'.repeat(2_500_000) })).body.message).toMatch(
      /^rpc error: code = ResourceExhausted desc = trying to send message larger than max \(2500\d{3} vs\. 2097152\)$/,
    );
    expect((await client.get(path)).body.spec).toBe('small');
    await client.delete(path);
  });

  it('K-10: measures a built-in kind as protobuf', async () => {
    const template = (count: number): object => ({
      metadata: { name: 'many' },
      template: {
        spec: {
          containers: [
            {
              name: 'a',
              image: 'b',
              env: Array.from({ length: count }, (_, index) => ({ name: `n${index}`, value: 'x'.repeat(100) })),
            },
          ],
        },
      },
    });
    // The JSON of the first is larger than the limit, with the names of the fields.
    expect((await client.post(POD_TEMPLATES, template(11_500))).status).toBe(201);
    await client.delete(`${POD_TEMPLATES}/many`);
    expect((await client.post(POD_TEMPLATES, template(14_500))).body.message).toBe(TOO_LARGE);
  });
});
