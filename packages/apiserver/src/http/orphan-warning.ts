import type { ResourceType } from '../resources/resource-type.ts';
import type { DeleteOptions } from '../verbs/delete.ts';
import type { Exchange } from './exchange.ts';

const WARNING =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** Warns if a deletion of Jobs does not say what happens to their Pods. */
export function warnOfOrphans(exchange: Exchange, { storage }: ResourceType, { isPolicySet }: DeleteOptions): void {
  if (storage === 'jobs.batch' && !isPolicySet) exchange.warn(WARNING);
}
