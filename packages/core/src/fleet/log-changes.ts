import type { Logger } from '@mcr/client';
import type { ClusterStatus } from './fleet.ts';

/** Writes one line for each change in the fleet, at the level that it deserves. */
export function logChanges(logger: Logger): (status: ClusterStatus, error: Error | undefined) => void {
  return ({ name, phase, reason }, error) => {
    const fields = { cluster: name, phase, reason, ...(error && { error }) };
    if (error) logger.warn('cluster has a problem', fields);
    else if (phase === 'Engaged') logger.info('cluster is engaged', fields);
    else if (phase === 'Disengaged') logger.info('cluster is disengaged', fields);
    else logger.debug('cluster changes', fields);
  };
}
