import type { Session } from '../session.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CARTS = '/apis/shop.example.com/v1/namespaces/default/carts';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'carts.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    names: { plural: 'carts', singular: 'cart', kind: 'Cart', listKind: 'CartList', shortNames: ['ct'] },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.count', statusReplicasPath: '.status.count' } },
        additionalPrinterColumns: [{ name: 'Count', type: 'integer', jsonPath: '.spec.count' }],
        selectableFields: [{ jsonPath: '.spec.color' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['color'],
                properties: {
                  color: { type: 'string', enum: ['red', 'blue'] },
                  count: { type: 'integer', minimum: 0, maximum: 10, default: 1 },
                  code: { type: 'string', pattern: '^[a-z]+$', maxLength: 5 },
                  when: { type: 'string', format: 'date-time' },
                  tags: { type: 'array', maxItems: 2, items: { type: 'string' } },
                  items: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['id'],
                    items: {
                      type: 'object',
                      required: ['id'],
                      properties: { id: { type: 'string' }, size: { type: 'integer' } },
                    },
                  },
                  port: { 'x-kubernetes-int-or-string': true },
                },
              },
              status: { type: 'object', properties: { count: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};

const cart = (name: string, spec: object = {}): object => ({
  apiVersion: 'shop.example.com/v1',
  kind: 'Cart',
  metadata: { name },
  spec: { color: 'red', ...spec },
});

/** Sends requests for custom resources. @param define resolves once the kind is served. */
export async function customResources(session: Session, define: (definition: object) => Promise<void>): Promise<void> {
  await session.post(DEFINITIONS, { ...definition, metadata: { name: 'wrong' } });
  await define(definition);
  await session.watch(`${CARTS}?watch=true&resourceVersion=0`);
  await session.watch(`${CARTS}?watch=true&resourceVersion=0&fieldSelector=spec.color%3Dred`);
  await session.post(CARTS, cart('a'));
  await session.post(CARTS, cart('a'));
  await session.post(CARTS, cart('b', { color: 'green' }));
  await session.post(CARTS, cart('b', { color: 5 }));
  await session.post(CARTS, cart('b', { code: 'TOO LONG' }));
  await session.post(CARTS, cart('b', { when: 'yesterday' }));
  await session.post(CARTS, cart('b', { tags: ['x', 'y', 'z'] }));
  await session.post(CARTS, cart('b', { items: [{ id: 'x' }, { id: 'x' }] }));
  await session.post(CARTS, cart('b', { items: [{ size: 1 }] }));
  await session.post(CARTS, cart('b', { port: true }));
  await session.post(CARTS, { apiVersion: 'shop.example.com/v1', kind: 'Cart', metadata: { name: 'b' } });
  await session.post(CARTS, cart('pruned', { unknown: 1, port: '80' }));
  await session.post(`${CARTS}?fieldValidation=Strict`, cart('strict', { unknown: 1 }));
  await session.post(`${CARTS}?fieldValidation=Warn`, cart('warn', { unknown: 1 }));
  await session.post(CARTS, { ...cart('odd'), kind: 'Trolley' });
  await session.patch('merge', `${CARTS}/a`, { spec: { color: 'blue' } });
  await session.patch('merge', `${CARTS}/a/status`, { status: { count: 3 }, spec: { color: 'red' } });
  await session.patch('merge', `${CARTS}/a`, { status: { count: 9 } });
  await session.patch('strategic', `${CARTS}/a`, { spec: { color: 'red' } });
  await session.put(`${CARTS}/a`, cart('a', { color: 'red' }));
  await session.get(`${CARTS}/a/scale`);
  await session.patch('apply', `${CARTS}/applied?fieldManager=one`, cart('applied', { items: [{ id: 'x', size: 1 }] }));
  await session.patch('apply', `${CARTS}/applied?fieldManager=two`, cart('applied', { items: [{ id: 'y', size: 1 }] }));
  await session.patch('apply', `${CARTS}/applied?fieldManager=two`, cart('applied', { items: [{ id: 'x', size: 2 }] }));
  await session.patch('apply', `${CARTS}/applied?fieldManager=one`, cart('applied'));
  await session.get(`${CARTS}?fieldSelector=spec.color%3Dblue`);
  await session.get(`${CARTS}?fieldSelector=spec.count%3D1`);
  await session.get(CARTS, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  await session.get('/apis/shop.example.com/v1');
  await session.get('/apis/shop.example.com');
  await session.get('/apis/shop.example.com/v2/carts');
  await session.delete(`${CARTS}/a`);
  await session.delete(CARTS);
  await session.post(CARTS, cart('last'));
  await session.drain('last');
}
