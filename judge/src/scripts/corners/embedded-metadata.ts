import type { Session } from '../session.ts';

const resource = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};

const definition = (plural: string, embedded: object): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.embedded.example.com` },
  spec: {
    group: 'embedded.example.com',
    names: { plural, kind: 'Box' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { one: embedded, more: { type: 'array', items: embedded } },
          },
        },
      },
    ],
  },
});

/** A kind with embedded resources. */
export const boxes = definition('boxes', resource);

export const BOXES = '/apis/embedded.example.com/v1/namespaces/judge/boxes';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CONFIG_MAPS = '/api/v1/namespaces/judge/configmaps';

const owner = { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'y', controller: true };

/** Metadata that no object may have, or of the wrong type. */
const METADATA: readonly unknown[] = [
  { ownerReferences: [{}] },
  { ownerReferences: [null] },
  { ownerReferences: [{ ...owner, kind: 'Event' }] },
  { ownerReferences: [owner, { ...owner, uid: 'z' }] },
  { ownerReferences: [{ uid: 3 }] },
  { finalizers: ['a b', '', null] },
  { finalizers: ['orphan', 'foregroundDeletion'] },
  { generation: -1 },
  { generation: 'x' },
  { generation: 1.5 },
  { name: '..', generateName: '..' },
  { name: 'a%', generateName: 'a/b' },
  { namespace: 'A b' },
  { managedFields: [{}] },
  { managedFields: [null] },
  { managedFields: [{ operation: 'Apply', fieldsType: 'X', manager: 'a\u0007', subresource: 'x'.repeat(257) }] },
  { managedFields: [{ operation: 'Update', manager: 'x'.repeat(129) }] },
  { managedFields: [{ operation: 'Update', manager: 'é\u00a0' }] },
  { managedFields: [{ operation: 3 }] },
  { labels: { 'a b': 'c d' }, annotations: { 'X y': 'z' } },
  { uid: 3 },
  { creationTimestamp: 'x' },
  'x',
  [],
];

/** Metadata that is valid in an object. */
const TOLERATED: readonly unknown[] = [null, { unknown: 1 }];

/** More bytes than all annotations may have, but fewer characters. */
const LONG = 'é'.repeat(140_000);

/** Writes metadata of embedded resources, of defaults in a definition, and of objects themselves. */
export async function embeddedMetadata(session: Session): Promise<void> {
  const pod = (metadata: unknown): object => ({ apiVersion: 'v1', kind: 'Pod', metadata });
  const box = { apiVersion: 'embedded.example.com/v1', kind: 'Box', metadata: { name: 'a' } };
  for (const metadata of [...METADATA, ...TOLERATED]) {
    await session.post(`${BOXES}?dryRun=All`, { ...box, one: pod(metadata) });
    await session.post(`${BOXES}?dryRun=All`, { ...box, more: [pod(metadata)] });
  }
  for (const metadata of METADATA) {
    await session.post(`${DEFINITIONS}?dryRun=All`, definition('crates', { ...resource, default: pod(metadata) }));
  }
  for (const metadata of [{ name: 3 }, { uid: 3 }, { annotations: { a: LONG } }]) {
    await session.post(`${CONFIG_MAPS}?dryRun=All`, { metadata: { name: 'a', ...metadata } });
  }
}
