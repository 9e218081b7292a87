import type { ClusterStatus } from '@mcr/core';
import { shortened } from '@mcr/core/provider';
import type { ClusterRow } from '../protocol.ts';

/** Maximum size of a reason and of an error, in bytes. The page reads the whole text when it shows the cluster. */
const MAX_TEXT = 256;
/** Maximum number of labels. */
const MAX_LABELS = 32;

/** Returns what the table shows of a cluster. */
export function rowOf(status: ClusterStatus): ClusterRow {
  const { name, phase, since, reason, labels, ownership, isolation, sources, lastError, lastErrorAt } = status;
  const { objects, reconciles, errors } = status;
  const isStale = Object.values(sources).some(({ staleFor }) => staleFor !== undefined);
  return {
    name,
    phase,
    since,
    reason: shortened(reason, MAX_TEXT),
    ...(labels && { labels: Object.fromEntries(Object.entries(labels).slice(0, MAX_LABELS)) }),
    ...(ownership?.owner !== undefined && { owner: ownership.owner }),
    ...(isolation && { isolation: isolation.state }),
    ...(isStale && { stale: true }),
    objects,
    reconciles,
    errors,
    ...(lastError !== undefined && { lastError: shortened(lastError, MAX_TEXT) }),
    ...(lastErrorAt !== undefined && { lastErrorAt }),
  };
}
