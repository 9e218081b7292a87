import type { Logger } from '@mcr/client';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { PhaseChange } from './create-fleet.ts';
import { problemOf } from './problem.ts';

/** Maximum number of remembered problems per cluster. Further problems are not logged as warnings. */
const MAX_PROBLEMS = 20;

/**
 * Logs each change in the fleet, at a level that depends on the change. Each problem of a cluster is logged as a
 * warning once, until the cluster has no problem. Messages of a server that differ only in their wording are one
 * problem.
 */
export function logChanges(logger: Logger): (change: PhaseChange, error: Error | undefined) => void {
  const problems = new Map<ClusterName, Set<string>>();
  return ({ name, phase, reason }, error) => {
    const fields = { cluster: name, phase, reason, ...(error && { error }) };
    if (error) {
      const known = problems.get(name) ?? new Set();
      const problem = `${phase} ${problemOf(error)}`;
      const isNew = !known.has(problem) && known.size < MAX_PROBLEMS;
      if (isNew) problems.set(name, known.add(problem));
      if (isNew) logger.warn('cluster has a problem', fields);
      else logger.debug('cluster is still failing', fields);
      return;
    }
    problems.delete(name);
    if (phase === 'Engaged') logger.info('cluster engaged', fields);
    else if (phase === 'Disengaged') logger.info('cluster disengaged', fields);
    else logger.debug('cluster phase changed', fields);
  };
}
