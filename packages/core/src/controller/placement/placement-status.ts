import type { Clock } from '@mcr/client';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { Condition, ConditionUpdate } from '../../objects/condition/condition.ts';
import { setCondition } from '../../objects/condition/condition.ts';
import { MAX_MESSAGE, withoutMiddle } from './placement-message.ts';
import type { PlacementEntry } from './placement-record.ts';

/** Type of the condition that a placement writes. */
export const PLACED = 'Placed';

/** Maximum number of clusters in `status.clusters`. */
const MAX_CLUSTERS = 100;

/** Maximum number of clusters that a message names. */
const MAX_NAMED = 3;

/** A cluster that does not have the current objects, as `status.clusters` lists it. */
export interface PlacementClusterStatus {
  readonly name: ClusterName;
  /** `Failed`, `Away` (it is not in the fleet), `Placing` or `Deleting`. */
  readonly reason: string;
  readonly message: string;
}

/** The part of an owner's status that a placement writes. */
export interface PlacementStatus {
  readonly conditions: readonly Condition[];
  readonly clusters: readonly PlacementClusterStatus[];
}

export interface PlacementStatusOptions {
  readonly entries: readonly PlacementEntry[];
  /** Generation of the owner, as entries have it. */
  readonly current: string;
  /** `metadata.generation` of the owner. Default: it has none. */
  readonly generation?: number | undefined;
  readonly isDeleting: boolean;
  /** Whether a cluster is not in the fleet. */
  readonly isAway: (cluster: ClusterName) => boolean;
  /** Current condition of the owner. Default: none. */
  readonly present?: Condition | undefined;
  readonly clock: Clock;
}

/** Returns the status of an owner: one condition with counts, and the clusters that are not up to date, failed ones first. */
export function placementStatus(options: PlacementStatusOptions): PlacementStatus {
  const { entries, generation, present, clock } = options;
  const behind = entries.map((entry) => clusterOf(entry, options)).filter((cluster) => cluster !== undefined);
  const sorted = [...behind.filter(isFailure), ...behind.filter((cluster) => !isFailure(cluster))];
  const update: ConditionUpdate = {
    type: PLACED,
    ...(generation !== undefined && { observedGeneration: generation }),
    ...summaryOf(entries.length, sorted, options.isDeleting),
  };
  const conditions = present ? [{ ...present }] : [];
  setCondition(conditions, update, { clock });
  return { conditions, clusters: sorted.slice(0, MAX_CLUSTERS) };
}

function clusterOf(
  { cluster: name, state, observedGeneration, message: recorded = '' }: PlacementEntry,
  { current, isDeleting, isAway }: PlacementStatusOptions,
): PlacementClusterStatus | undefined {
  // Everyone who may write ConfigMaps can write a long message.
  const message = withoutMiddle(recorded, MAX_MESSAGE);
  if (state === 'Placed' && observedGeneration === current && !isDeleting) return undefined;
  if (isAway(name)) return { name, reason: 'Away', message: message || 'the cluster is not in the fleet' };
  if (state === 'Failed' || state === 'Deleting') return { name, reason: state, message };
  return { name, reason: isDeleting ? 'Deleting' : 'Placing', message };
}

function isFailure({ reason }: PlacementClusterStatus): boolean {
  return reason === 'Failed' || reason === 'Away';
}

function summaryOf(
  total: number,
  behind: readonly PlacementClusterStatus[],
  isDeleting: boolean,
): Pick<ConditionUpdate, 'status' | 'reason' | 'message'> {
  const named = behind.slice(0, MAX_NAMED).map(({ name }) => name);
  const others = behind.length - named.length;
  const clusters = `${total} ${total === 1 ? 'cluster' : 'clusters'}`;
  const names = named.join(', ') + (others > 0 ? ` and ${others} more` : '');
  if (isDeleting) {
    return {
      status: 'False',
      reason: 'Deleting',
      message: `objects are being deleted from ${clusters}: ${names}`,
    };
  }
  if (total === 0) return { status: 'False', reason: 'NoClusters', message: 'no cluster is selected' };
  const counts = `${total - behind.length} of ${clusters} up to date`;
  if (behind.length === 0) return { status: 'True', reason: 'AllPlaced', message: counts };
  const reason = behind.some(isFailure) ? 'SomeFailed' : 'Placing';
  return { status: 'False', reason, message: `${counts}; pending: ${names}` };
}
