import { creations } from './scripts/kinds/creations.ts';
import { invalidObjects } from './scripts/kinds/invalid-objects.ts';
import type { Json, JsonObject } from './operation.ts';

/** Namespace of the objects. */
export const NAMESPACE = 'judge';

/** Kinds that controllers create most. */
const OFTEN: ReadonlySet<string> = new Set([
  ...['configmaps', 'secrets', 'pods', 'services', 'serviceaccounts', 'deployments', 'statefulsets', 'daemonsets'],
  ...['replicasets', 'jobs', 'cronjobs', 'ingresses', 'poddisruptionbudgets', 'horizontalpodautoscalers', 'leases'],
  ...['roles', 'rolebindings', 'nodes', 'events'],
]);

/** A kind, with objects of it. */
export interface Example {
  /** Path of the collection. */
  readonly collection: string;
  readonly weight: number;
  /** Valid objects, without a name. */
  readonly objects: readonly JsonObject[];
  /** Objects that the server refuses. */
  readonly invalid: readonly JsonObject[];
}

const events: readonly (readonly [string, JsonObject])[] = [
  [
    `/api/v1/namespaces/${NAMESPACE}/events`,
    {
      apiVersion: 'v1',
      kind: 'Event',
      involvedObject: { kind: 'Pod', name: 'a', namespace: NAMESPACE },
      reason: 'Started',
      message: 'started',
      type: 'Normal',
    },
  ],
  [
    `/apis/events.k8s.io/v1/namespaces/${NAMESPACE}/events`,
    {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'example.com/judge',
      reportingInstance: 'judge-1',
      action: 'Starting',
      reason: 'Started',
      type: 'Normal',
      regarding: { kind: 'Pod', name: 'a', namespace: NAMESPACE },
      note: 'started',
    },
  ],
];

/** Kinds whose objects change the answers to other requests: their admission depends on controllers. */
const EXCLUDED = /\/(?:resourcequotas|namespaces|serviceclasses|flowschemas|prioritylevelconfigurations)$/u;

/** Every kind that the fuzz writes. */
export const examples: readonly Example[] = collect();

function collect(): readonly Example[] {
  const objects = new Map<string, JsonObject[]>();
  const invalid = new Map<string, JsonObject[]>();
  const add = (to: Map<string, JsonObject[]>, path: string, body: Json): void => {
    const collection = path.replace('/namespaces/default/', `/namespaces/${NAMESPACE}/`);
    if (EXCLUDED.test(collection)) return;
    to.set(collection, [...(to.get(collection) ?? []), body as JsonObject]);
  };
  for (const { method, path, body } of creations) if (method === 'POST') add(objects, path, body as Json);
  for (const { method, path, body } of invalidObjects) if (method === 'POST') add(invalid, path, body as Json);
  for (const [path, body] of events) add(objects, path, body);
  return [...objects].map(([collection, bodies]) => ({
    collection,
    weight: OFTEN.has(collection.slice(collection.lastIndexOf('/') + 1)) ? 6 : 1,
    objects: bodies,
    invalid: invalid.get(collection) ?? [],
  }));
}
