import type { Clock, Logger } from '@mcr/client';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { Isolation } from './fleet.ts';

/** Time after a line at level `info` within which the cluster is logged at level `debug`, in milliseconds. */
const REPEATED_WITHIN = 600_000;

interface Episode {
  /** When it was last logged at level `info`. */
  readonly loggedAt: number;
  readonly level: 'info' | 'debug';
  /** `undefined` if it has ended. */
  since: number | undefined;
}

/**
 * Logs when a cluster becomes slow and when it no longer is. A cluster that becomes slow repeatedly is logged at level
 * `info` once in ten minutes. Parked clusters are logged as a problem, because their phase changes.
 */
export function logIsolation(
  logger: Logger,
  clock: Clock,
): (name: ClusterName, isolation: Pick<Isolation, 'state' | 'reason'> | undefined) => void {
  const episodes = new Map<ClusterName, Episode>();
  return (name, isolation) => {
    const now = clock.now();
    const last = episodes.get(name);
    if (isolation?.state === 'slow') {
      for (const [each, { since, loggedAt }] of episodes) {
        if (since === undefined && now - loggedAt >= REPEATED_WITHIN) episodes.delete(each);
      }
      const isRepeated = last !== undefined && now - last.loggedAt < REPEATED_WITHIN;
      const level = isRepeated ? 'debug' : 'info';
      episodes.set(name, { loggedAt: isRepeated ? last.loggedAt : now, level, since: now });
      logger[level]('cluster is slow', { cluster: name, reason: isolation.reason });
      return;
    }
    if (last?.since === undefined) return;
    const duration = Math.round(now - last.since);
    last.since = undefined;
    if (!isolation) logger[last.level]('cluster is no longer slow', { cluster: name, duration });
  };
}
