import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { RawClient } from '../raw-client.fixture.ts';
import type { WebhookObject } from './webhook-server.fixture.ts';
import { convertWith, WebhookServer } from './webhook-server.fixture.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** In v1, the size is `size`; in v2, it is `dimensions.size`. */
function convert({ spec, ...object }: WebhookObject, apiVersion: string): unknown {
  const size = spec['size'] ?? (spec['dimensions'] as { size?: number } | undefined)?.size;
  return { ...object, spec: apiVersion === 'example.com/v2' ? { dimensions: { size } } : { size } };
}

const size = { type: 'integer', minimum: 1 };
const version = (name: string, properties: object, storage: boolean): object => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties },
        status: { type: 'object', properties: { ready: { type: 'boolean' } } },
      },
    },
  },
});

function definition(plural: string, kind: string, clientConfig: object): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind },
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
      versions: [
        version('v1', { size }, true),
        version('v2', { dimensions: { type: 'object', properties: { size } } }, false),
      ],
    },
  };
}

describe('conversion webhooks', () => {
  let webhooks: WebhookServer;
  let plane: ControlPlane;
  let client: RawClient;
  const path = (plural: string, name: string, v = 'v1'): string =>
    `/apis/example.com/${v}/namespaces/default/${plural}${name && `/${name}`}`;
  const box = (name: string, spec: object, v = 'v1', kind = 'Box'): object => ({
    apiVersion: `example.com/${v}`,
    kind,
    metadata: { name },
    spec,
  });

  beforeAll(async () => {
    webhooks = await WebhookServer.start();
    plane = await createControlPlane();
    client = new RawClient(plane.config);
    const clientConfig = webhooks.serve('/convert', convertWith(convert));
    expect((await client.post(CRDS, definition('boxes', 'Box', clientConfig))).status).toBe(201);
    const broken = webhooks.serve('/broken', () => ({}));
    expect((await client.post(CRDS, definition('crates', 'Crate', broken))).status).toBe(201);
    await client.post(path('crates', ''), box('c', { size: 1 }, 'v1', 'Crate'));
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
    await webhooks[Symbol.asyncDispose]();
  });

  it('K-26: reads and writes an object in every served version', async () => {
    await client.post(path('boxes', ''), box('a', { size: 1 }));
    expect((await client.get(path('boxes', 'a', 'v2'))).body).toMatchObject({
      apiVersion: 'example.com/v2',
      spec: { dimensions: { size: 1 } },
    });
    const created = await client.post(path('boxes', '', 'v2'), box('b', { dimensions: { size: 2 } }, 'v2'));
    expect(created.body).toMatchObject({ apiVersion: 'example.com/v2', spec: { dimensions: { size: 2 } } });
    expect((await client.get(path('boxes', 'b'))).body.spec).toEqual({ size: 2 });
    const patched = await client.patch(path('boxes', 'b', 'v2'), { spec: { dimensions: { size: 3 } } });
    expect(patched.body).toMatchObject({ metadata: { generation: 2 }, spec: { dimensions: { size: 3 } } });
    const applied = await client.apply(
      path('boxes', 'b', 'v2'),
      box('b', { dimensions: { size: 4 } }, 'v2'),
      'me',
      '&force=true',
    );
    expect(applied.body.spec).toEqual({ dimensions: { size: 4 } });
    const { body } = await client.get(path('boxes', 'b', 'v2'));
    expect(
      (await client.put(path('boxes', 'b', 'v2'), { ...body, spec: { dimensions: { size: 5 } } })).body.spec,
    ).toEqual({
      dimensions: { size: 5 },
    });
    expect((await client.patch(path('boxes', 'b/status', 'v2'), { status: { ready: true } })).body.status).toEqual({
      ready: true,
    });
    expect((await client.get(path('boxes', 'b'))).body).toMatchObject({ spec: { size: 5 }, status: { ready: true } });
    expect((await client.patch(path('boxes', 'b', 'v2'), { spec: { dimensions: { size: 0 } } })).status).toBe(422);
    expect((await client.delete(path('boxes', 'b', 'v2'))).status).toBe(200);
  });

  it('K-26: converts the objects of a list together, and those of a watch', async () => {
    await client.post(path('boxes', ''), box('d', { size: 1 }));
    await client.post(path('boxes', ''), box('e', { size: 2 }));
    webhooks.take('/convert');
    const list = await client.get(path('boxes', '', 'v2'));
    const sizes = list.body.items.map(({ metadata, spec }) => [metadata.name, spec]);
    expect(sizes).toContainEqual(['d', { dimensions: { size: 1 } }]);
    expect(sizes).toContainEqual(['e', { dimensions: { size: 2 } }]);
    expect(webhooks.take('/convert').map(({ request }) => request.objects.length > 1)).toEqual([true]);
    await client.get(path('boxes', '', 'v2'));
    expect(webhooks.take('/convert')).toEqual([]);
    const { resourceVersion } = list.body.metadata;
    const watch = await client.watch(`${path('boxes', '', 'v2')}?watch=true&resourceVersion=${resourceVersion}`);
    await client.patch(path('boxes', 'd'), { spec: { size: 7 } });
    await client.delete(path('boxes', 'e'));
    const events = [await watch.next(), await watch.next()];
    expect(events.map((event) => [event?.type, event?.object.spec])).toEqual([
      ['MODIFIED', { dimensions: { size: 7 } }],
      ['DELETED', { dimensions: { size: 2 } }],
    ]);
    watch.close();
  });

  it('K-26: keeps objects in their stored version when the storage version changes, and rewrites them with a write', async () => {
    await client.post(path('boxes', ''), box('old', { size: 1 }));
    const versions = [
      version('v1', { size }, false),
      version('v2', { dimensions: { type: 'object', properties: { size } } }, true),
    ];
    expect((await client.patch(`${CRDS}/boxes.example.com`, { spec: { versions } })).status).toBe(200);
    expect((await client.get(path('boxes', 'old', 'v2'))).body.spec).toEqual({ dimensions: { size: 1 } });
    const before = (await client.get(path('boxes', 'old'))).body.metadata.resourceVersion;
    const rewritten = await client.patch(path('boxes', 'old'), {});
    expect(rewritten.body.metadata.resourceVersion).not.toBe(before);
    webhooks.take('/convert');
    await client.get(path('boxes', 'old', 'v2'));
    expect(webhooks.take('/convert')).toEqual([]);
  });

  it.each([
    [
      'no response',
      () => ({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' }),
      'no response provided',
    ],
    [
      'another uid',
      () => ({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response: { uid: 'x', result: {} } }),
      ', got "x"',
    ],
    [
      'another kind',
      () => ({ apiVersion: 'v1', kind: 'ConversionReview' }),
      'expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /v1, Kind=ConversionReview',
    ],
    ['no objects', convertWith(() => undefined), 'invalid'],
    [
      'another name',
      convertWith((object) => ({ ...object, metadata: { ...object.metadata, name: 'x' } })),
      'returned invalid object: must have the same name: c != x',
    ],
    [
      'another version',
      convertWith((object) => ({ ...object, apiVersion: 'example.com/v3' })),
      'invalid groupVersion (expected example.com/v2, received example.com/v3)',
    ],
    [
      'invalid labels',
      convertWith((object) => ({ ...object, metadata: { ...object.metadata, labels: { a: 1 } } })),
      'metadata.labels[a] must be a string, but is int64 in converted object',
    ],
  ])('K-26: refuses a response with %s', async (_title, answer, message) => {
    webhooks.answers.set('/broken', answer);
    const { status, body } = await client.get(path('crates', 'c', 'v2'));
    expect(status).toBe(500);
    expect(body.message).toContain('conversion webhook for example.com/v1, Kind=Crate');
    expect(body.message).toContain(message);
  });

  it('K-26: keeps the metadata of the object, except labels and annotations', async () => {
    const metadata = { finalizers: ['x.example.com/y'], labels: { a: 'b' } };
    webhooks.answers.set(
      '/broken',
      convertWith((object) => ({ ...object, metadata: { ...object.metadata, ...metadata } })),
    );
    const { body } = await client.get(path('crates', 'c', 'v2'));
    expect(body.metadata).toMatchObject({ labels: { a: 'b' } });
    expect(body.metadata.finalizers).toBeUndefined();
  });

  it('K-26: drops empty labels and annotations of the converted object', async () => {
    webhooks.answers.set(
      '/broken',
      convertWith((object) => ({ ...object, metadata: { ...object.metadata, labels: {}, annotations: {} } })),
    );
    const { body } = await client.get(path('crates', 'c', 'v2'));
    expect(body.metadata).not.toHaveProperty('labels');
    expect(body.metadata).not.toHaveProperty('annotations');
  });
});
