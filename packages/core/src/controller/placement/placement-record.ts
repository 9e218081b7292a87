import { createHash } from 'node:crypto';
import type { ConfigMap, DeepReadonly, ObjectKey } from '@mcr/client';
import * as z from 'zod';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { FleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';

/** Label of a placed object. Its value is the name of the controller. */
export const PLACEMENT_LABEL = 'fleet.mcr.dev/placement';

/** Returns the scope of the informers with the objects that a placement applied. */
export function placedScope(controller: string): { readonly labelSelector: string } {
  return { labelSelector: `${PLACEMENT_LABEL}=${controller}` };
}

/** Label of a record. Its value is the name of the controller. It differs from the other one, because a hub can be a member. */
export const RECORD_LABEL = 'fleet.mcr.dev/placement-record';

/** Annotation of a record that replaces a lost one. A cluster without an entry may have objects. */
export const REBUILT_ANNOTATION = 'fleet.mcr.dev/placement-rebuilt';

/** State of one cluster in the record of an owner. A cluster that may have objects of the owner is in the record. */
export interface PlacementEntry {
  readonly cluster: ClusterName;
  readonly state: 'Placing' | 'Placed' | 'Failed' | 'Deleting';
  /** Generation of the owner that the state is about, or the resourceVersion of a kind without generations. */
  readonly observedGeneration: string;
  /** Reason for the state. Default: none. */
  readonly message?: string;
  /**
   * The objects that the cluster may have, as sorted texts of `placedKey`. Default: not known, so the cluster has to
   * be searched.
   */
  readonly objects?: readonly string[];
}

const entrySchema = z.object({
  cluster: z.string(),
  state: z.enum(['Placing', 'Placed', 'Failed', 'Deleting']),
  observedGeneration: z.string(),
  message: z.string().exactOptional(),
  objects: z.string().exactOptional(),
});

const objectsSchema = z.array(z.string());

/** Prefix of the fields with the names of objects. No cluster has such a field, see {@link fieldOf}. */
const OBJECTS_PREFIX = '_objects.';

/** Returns the key of an owner's record: a ConfigMap of the hub with one field for each cluster. */
export function recordKey(
  controller: string,
  { hub, uid, namespace }: FleetOwner,
  recordNamespace: string | undefined,
): ObjectKey & { readonly namespace: string } {
  const digest = createHash('sha256')
    .update(JSON.stringify([controller, hub, uid]))
    .digest('hex')
    .slice(0, 40);
  return { namespace: namespace === '' ? (recordNamespace ?? '') : namespace, name: `mcr-placement-${digest}` };
}

/** Returns the field of a cluster. Names that are not valid fields of a ConfigMap are replaced by a digest. */
export function fieldOf(cluster: ClusterName): string {
  if (/^[-.a-zA-Z0-9]{1,200}$/.test(cluster) && cluster !== '.' && cluster !== '..') return cluster;
  return `_${createHash('sha256').update(cluster).digest('hex')}`;
}

type Data = Readonly<Record<string, string>>;

/** Returns the entries of a record, sorted by cluster. A field that is not valid counts as a cluster that failed. */
export function entriesOf(record: DeepReadonly<ConfigMap> | undefined): PlacementEntry[] {
  const data = record?.data ?? {};
  const known = new Map<string, readonly string[] | undefined>();
  return Object.entries(data)
    .filter(([field]) => !field.startsWith(OBJECTS_PREFIX))
    .map(
      ([field, text]) =>
        parsedEntry(text, data, known) ?? {
          cluster: field,
          state: 'Failed' as const,
          observedGeneration: '',
          message: 'its placement record is not valid',
        },
    )
    .sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
}

/** Returns the entry of one cluster. An invalid field is a failed cluster, whose objects are not known. */
export function entryOf(record: DeepReadonly<ConfigMap> | undefined, cluster: ClusterName): PlacementEntry | undefined {
  const { data = {} } = record ?? {};
  const field = fieldOf(cluster);
  if (!Object.hasOwn(data, field)) return undefined;
  const entry = parsedEntry(data[field], data);
  return entry?.cluster === cluster ? entry : { cluster, state: 'Failed', observedGeneration: '' };
}

/** Returns the name of the cluster in the text of an entry. */
export function clusterOf(text: string): ClusterName | undefined {
  return parsedEntry(text, {})?.cluster;
}

function parsedEntry(
  text: string | undefined,
  data: Data,
  known = new Map<string, readonly string[] | undefined>(),
): PlacementEntry | undefined {
  if (text === undefined) return undefined;
  try {
    const entry = entrySchema.safeParse(JSON.parse(text)).data;
    if (!entry) return undefined;
    const { objects: digest, ...fields } = entry;
    if (digest === undefined) return fields;
    if (!known.has(digest)) known.set(digest, objectsOf(data, digest));
    const objects = known.get(digest);
    return { ...fields, ...(objects && { objects }) };
  } catch {
    return undefined;
  }
}

/** Returns the names with a digest, unless they were changed. */
function objectsOf(data: Data, digest: string): readonly string[] | undefined {
  const field = `${OBJECTS_PREFIX}${digest}`;
  const text = Object.hasOwn(data, field) ? data[field] : undefined;
  if (text === undefined || digestOfText(text) !== digest) return undefined;
  return objectsSchema.safeParse(JSON.parse(text)).data;
}

function digestOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 20);
}

/** Returns the text of an entry, with the digest of the names of its objects. */
export function textOf({ cluster, state, observedGeneration, message, objects }: PlacementEntry): string {
  return JSON.stringify({
    cluster,
    state,
    observedGeneration,
    ...(message !== undefined && { message }),
    ...(objects && { objects: digestOfText(JSON.stringify(objects)) }),
  });
}

/**
 * Returns the fields of an entry: its text, and the names of its objects in a field that all clusters with the same names
 * share, so that the record has room for them. Its key is the digest of the names, so that replicas that write it at the
 * same time write the same.
 */
export function fieldsOf(entry: PlacementEntry): Record<string, string> {
  const names = entry.objects && JSON.stringify(entry.objects);
  return {
    [fieldOf(entry.cluster)]: textOf(entry),
    ...(names !== undefined && { [`${OBJECTS_PREFIX}${digestOfText(names)}`]: names }),
  };
}

/** Returns the fields with names of objects that no entry refers to. */
export function unusedFields(record: DeepReadonly<ConfigMap>): string[] {
  const { data = {} } = record;
  const fields = Object.keys(data).filter((field) => field.startsWith(OBJECTS_PREFIX));
  if (fields.length < 2) return [];
  const used = new Set(entriesOf(record).flatMap((entry) => Object.keys(fieldsOf(entry))));
  return fields.filter((field) => !used.has(field));
}
