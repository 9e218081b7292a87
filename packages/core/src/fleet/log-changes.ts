import type { Logger } from '@mcr/client';
import type { ClusterName } from '../multicluster/cluster-name.ts';
import type { ClusterStatus } from './fleet.ts';
import { problemOf } from './problem.ts';

/** The largest number of problems that are remembered of one cluster; further ones are not warned of. */
const MAX_PROBLEMS = 20;

/**
 * Writes one line for each change in the fleet, at the level that it deserves. A cluster that alternates between problems
 * is warned of once for each, until it has none. How a server words its answers makes no difference.
 */
export function logChanges(logger: Logger): (status: ClusterStatus, error: Error | undefined) => void {
  const problems = new Map<ClusterName, Set<string>>();
  return ({ name, phase, reason }, error) => {
    const fields = { cluster: name, phase, reason, ...(error && { error }) };
    if (error) {
      const known = problems.get(name) ?? new Set();
      const problem = `${phase} ${problemOf(error)}`;
      const isNew = !known.has(problem) && known.size < MAX_PROBLEMS;
      if (isNew) problems.set(name, known.add(problem));
      if (isNew) logger.warn('cluster has a problem', fields);
      else logger.debug('cluster still has a problem', fields);
      return;
    }
    problems.delete(name);
    if (phase === 'Engaged') logger.info('cluster is engaged', fields);
    else if (phase === 'Disengaged') logger.info('cluster is disengaged', fields);
    else logger.debug('cluster changes', fields);
  };
}
