import type { ResourceType } from '../resources/resource-type.ts';
import { scalarText, valueAt } from '../resources/resource-type.ts';
import type { ApiObject } from '../storage/stored-object.ts';

/** How long an object still exists after its deletion. */
export interface GracePeriod {
  /** 0: it is deleted at once, unless a finalizer keeps it. */
  readonly seconds: number;
  /** False if the object already terminates, and this deletion does not change when. */
  readonly changes: boolean;
}

/**
 * Returns the grace period of a deletion. Only Pods have one: none if they are not scheduled or have ended. A later
 * deletion can only shorten it. (Upstream: `rest.BeforeDelete` and the strategy of Pods.)
 */
export function graceOf(
  type: ResourceType,
  object: ApiObject,
  { gracePeriodSeconds: wanted }: { readonly gracePeriodSeconds: number | undefined },
): GracePeriod {
  const { deletionTimestamp, deletionGracePeriodSeconds: before } = object.metadata;
  const isTerminating = deletionTimestamp !== undefined;
  if (type.storage !== 'pods') return { seconds: 0, changes: !isTerminating };
  if (!isTerminating) return { seconds: firstPeriod(object, wanted), changes: true };
  const pending = before ?? 0;
  if (wanted === undefined || wanted >= pending) return { seconds: pending, changes: false };
  return { seconds: wanted, changes: true };
}

function firstPeriod(pod: ApiObject, wanted: number | undefined): number {
  const phase = scalarText(valueAt(pod, 'status.phase'));
  const isScheduled = scalarText(valueAt(pod, 'spec.nodeName')) !== '';
  if (!isScheduled || phase === 'Succeeded' || phase === 'Failed') return 0;
  const seconds = wanted ?? Number(valueAt(pod, 'spec.terminationGracePeriodSeconds') ?? 0);
  return seconds < 0 ? 1 : seconds;
}

/** Returns the time that is some seconds after another one. */
export function secondsAfter(time: string, seconds: number): string {
  return `${new Date(Date.parse(time) + seconds * 1000).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`;
}

/** Moves the end of a terminating object to an earlier time. */
export function shortenGrace({ metadata }: ApiObject, seconds: number): void {
  const { deletionTimestamp, deletionGracePeriodSeconds: before = 0 } = metadata;
  if (deletionTimestamp !== undefined) metadata.deletionTimestamp = secondsAfter(deletionTimestamp, seconds - before);
  metadata.deletionGracePeriodSeconds = seconds;
}
