import type { Logger } from '@mcr/client';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { ClusterStatus } from './fleet.ts';

/** Wordings of one problem that are remembered; what a server answers may have a number in it that counts. */
const REMEMBERED = 20;

/**
 * Writes one line for each change in the fleet, at the level that it deserves. A problem that shows now in these words
 * and now in those is one problem: each wording is a warning once, until the cluster is without a problem.
 */
export function logChanges(logger: Logger): (status: ClusterStatus, error: Error | undefined) => void {
  const problems = new Map<ClusterName, Set<string>>();
  return ({ name, phase, reason }, error) => {
    const fields = { cluster: name, phase, reason, ...(error && { error }) };
    if (error) {
      const known = problems.get(name) ?? new Set();
      if (known.has(reason)) logger.debug('cluster still has a problem', fields);
      else logger.warn('cluster has a problem', fields);
      if (known.size < REMEMBERED) problems.set(name, known.add(reason));
      return;
    }
    problems.delete(name);
    if (phase === 'Engaged') logger.info('cluster is engaged', fields);
    else if (phase === 'Disengaged') logger.info('cluster is disengaged', fields);
    else logger.debug('cluster changes', fields);
  };
}
