import type {
  Answer,
  WebhookObject,
  WebhookServer,
} from '../../../../packages/apiserver/src/webhooks/webhook-server.fixture.ts';
import { convertWith } from '../../../../packages/apiserver/src/webhooks/webhook-server.fixture.ts';
import type { Step } from '../session.ts';

/** In v1, the size is `size`; in v2, it is `dimensions.size`. Only v1 has a default for the color. */
function convert({ spec, ...object }: WebhookObject, apiVersion: string): unknown {
  const { color } = spec;
  const size = spec['size'] ?? (spec['dimensions'] as { size?: number } | undefined)?.size;
  return { ...object, spec: { ...(apiVersion.endsWith('/v2') ? { dimensions: { size } } : { size }), color } };
}

const color = { type: 'string' };

const size = { type: 'integer', minimum: 1 };
const version = (name: string, properties: object): object => ({
  name,
  served: true,
  storage: name === 'v1',
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

/** Returns the definitions of Box, whose webhook works, and of Crate, whose webhook answers as a step says. */
export function convertedDefinitions(webhooks: WebhookServer): readonly object[] {
  const definition = (plural: string, kind: string, clientConfig: object): object => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.judge.example.com` },
    spec: {
      group: 'judge.example.com',
      scope: 'Namespaced',
      names: { plural, kind },
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
      versions: [
        version('v1', { size, color: { ...color, default: 'brown' } }),
        version('v2', { dimensions: { type: 'object', properties: { size } }, color }),
      ],
    },
  });
  return [
    definition('boxes', 'Box', webhooks.serve('/boxes', convertWith(convert))),
    definition('crates', 'Crate', webhooks.serve('/crates', convertWith(convert))),
  ];
}

const path = (plural: string, v: string, name = ''): string =>
  `/apis/judge.example.com/${v}/namespaces/default/${plural}${name && `/${name}`}`;

const box = (name: string, v: string, spec: object, kind = 'Box'): object => ({
  apiVersion: `judge.example.com/${v}`,
  kind,
  metadata: { name },
  spec,
});

export interface ConversionStep extends Step {
  /** New answer of the webhook of Crate. */
  readonly answer?: Answer;
}

const readCrate = (answer: Answer): ConversionStep => ({ method: 'GET', path: path('crates', 'v2', 'c'), answer });

const reviewed =
  (response?: object): Answer =>
  ({ apiVersion, kind, request: { uid } }) => ({
    apiVersion,
    kind,
    response: response && { uid, ...response },
  });

const changed = (fields: object): Answer => convertWith((object) => ({ ...object, ...fields }));
const changedMetadata = (fields: object): Answer =>
  convertWith((object) => ({ ...object, metadata: { ...object.metadata, ...fields } }));

export const conversionSteps: readonly ConversionStep[] = [
  { method: 'POST', path: path('boxes', 'v1'), body: box('a', 'v1', { size: 1 }) },
  { method: 'GET', path: path('boxes', 'v2', 'a') },
  { method: 'POST', path: path('boxes', 'v2'), body: box('b', 'v2', { dimensions: { size: 2 } }) },
  { method: 'GET', path: path('boxes', 'v1', 'b') },
  { method: 'GET', path: path('boxes', 'v2') },
  { method: 'PATCH', path: path('boxes', 'v2', 'b'), body: { spec: { dimensions: { size: 3 } } }, type: 'merge' },
  { method: 'PATCH', path: path('boxes', 'v2', 'b'), body: { spec: { dimensions: { size: 0 } } }, type: 'merge' },
  {
    method: 'PATCH',
    path: `${path('boxes', 'v2', 'a')}?fieldManager=me&force=true`,
    body: box('a', 'v2', { dimensions: { size: 9 } }),
    type: 'apply',
  },
  { method: 'PATCH', path: path('boxes', 'v2', 'b/status'), body: { status: { ready: true } }, type: 'merge' },
  { method: 'POST', path: `${path('boxes', 'v2')}?dryRun=All`, body: box('d', 'v2', { dimensions: { size: 2 } }) },
  { method: 'POST', path: path('boxes', 'v2'), body: box('d', 'v2', { dimensions: { size: 2 } }) },
  {
    method: 'PATCH',
    path: `${path('boxes', 'v2', 'd')}?dryRun=All`,
    body: { spec: { color: null, dimensions: { size: 4 } } },
    type: 'merge',
  },
  { method: 'DELETE', path: `${path('boxes', 'v2', 'b')}?dryRun=All` },
  { method: 'DELETE', path: path('boxes', 'v2', 'b') },
  { method: 'POST', path: path('crates', 'v1'), body: box('c', 'v1', { size: 1 }, 'Crate') },
  readCrate(reviewed()),
  readCrate(reviewed({ result: { status: 'Failure', message: 'cannot convert' } })),
  readCrate(reviewed({ result: { status: 'Failure' } })),
  readCrate(reviewed({ result: { status: 'Success' } })),
  readCrate(reviewed({ uid: 'x', result: { status: 'Success' } })),
  readCrate(() => ({ apiVersion: 'v1', kind: 'Other' })),
  readCrate(() => 'text'),
  readCrate((_review, response) => {
    response.statusCode = 500;
    return 'broken';
  }),
  readCrate(changed({ apiVersion: 'judge.example.com/v3' })),
  readCrate(changed({ kind: 'Other' })),
  readCrate(changed({ metadata: undefined })),
  readCrate(changedMetadata({ name: 'other' })),
  readCrate(changedMetadata({ namespace: 'other' })),
  readCrate(changedMetadata({ uid: 'other' })),
  readCrate(changedMetadata({ labels: { a: 1 } })),
  readCrate(changedMetadata({ labels: 'a' })),
  readCrate(changedMetadata({ labels: { a: 'not valid!' } })),
  readCrate(
    changedMetadata({ labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['x.example.com/y'], generation: 7 }),
  ),
  { ...readCrate(changed({ spec: { dimensions: { size: 1, unknown: 2 } } })) },
  {
    method: 'POST',
    path: path('crates', 'v2'),
    body: box('e', 'v2', { dimensions: { size: 1 } }, 'Crate'),
    answer: reviewed({ result: { status: 'Failure', message: 'cannot convert' } }),
  },
];
