import { createHash } from 'node:crypto';
import type { ConfigMap, DeepReadonly, ObjectKey } from '@mcr/client';
import { shortened } from '@mcr/client';
import * as z from 'zod';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { FleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';

/** Label of a placed object. Its value is the name of the controller. */
export const PLACEMENT_LABEL = 'fleet.mcr.dev/placement';

/** Label of a record. Its value is the name of the controller. It differs from the other one, because a hub can be a member. */
export const RECORD_LABEL = 'fleet.mcr.dev/placement-record';

/** Maximum length of a message in a record, so that the records of 5,000 clusters fit into one object. */
const MAX_MESSAGE = 100;

/** State of one cluster in the record of an owner. A cluster that may have objects of the owner is in the record. */
export interface PlacementEntry {
  readonly cluster: ClusterName;
  readonly state: 'Placing' | 'Placed' | 'Failed' | 'Deleting';
  /** Revision of the owner that the state is about. */
  readonly revision: string;
  /** Reason for the state. Default: none. */
  readonly message?: string;
}

const entrySchema = z.object({
  cluster: z.string(),
  state: z.enum(['Placing', 'Placed', 'Failed', 'Deleting']),
  revision: z.string(),
  message: z.string().exactOptional(),
});

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

/** Returns the entries of a record, sorted by cluster. A field that is not valid counts as a cluster that failed. */
export function entriesOf(record: DeepReadonly<ConfigMap> | undefined): PlacementEntry[] {
  return Object.entries(record?.data ?? {})
    .map(
      ([field, text]) =>
        entryOf(text) ?? { cluster: field, state: 'Failed' as const, revision: '', message: 'its record is not valid' },
    )
    .sort((a, b) => (a.cluster < b.cluster ? -1 : 1));
}

export function entryOf(text: string | undefined): PlacementEntry | undefined {
  if (text === undefined) return undefined;
  try {
    return entrySchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Returns the text of an entry, with a shortened message. */
export function textOf({ cluster, state, revision, message }: PlacementEntry): string {
  return JSON.stringify({
    cluster,
    state,
    revision,
    ...(message !== undefined && { message: shortened(message, MAX_MESSAGE) }),
  });
}
