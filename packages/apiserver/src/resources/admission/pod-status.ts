import type { JsonObject } from '../../storage/stored-object.ts';
import type { Change } from '../resource-type.ts';
import { isEmpty } from '../validation/rules.ts';
import { valueAt } from '../resource-type.ts';

/** Keeps the quality of service of a Pod if the new status does not have it. (Upstream: `podStatusStrategy`.) */
export function admitPodStatus({ object, previous, subresource }: Change): void {
  if (subresource !== 'status') return;
  const before = valueAt(previous, 'status.qosClass');
  const status = (object['status'] ?? {}) as JsonObject;
  if (before === undefined || !isEmpty(status['qosClass'])) return;
  object['status'] = { ...status, qosClass: before };
}
