import type { JsonObject } from '../../storage/stored-object.ts';
import type { Change } from '../resource-type.ts';
import { now } from '../timestamp.ts';

/** Records when the phase of a volume changed. (Upstream: `persistentvolumeStatusStrategy`.) */
export function admitVolumeStatus({ object, previous, subresource }: Change): void {
  if (subresource !== 'status') return;
  const status = (object['status'] ?? {}) as JsonObject;
  const before = (previous?.['status'] ?? {}) as JsonObject;
  const [time, earlier] = [status, before].map((each) => each['lastPhaseTransitionTime']);
  if (status['phase'] !== before['phase']) {
    if (time === undefined || time === earlier) object['status'] = { ...status, lastPhaseTransitionTime: now() };
  } else if (time === undefined && earlier !== undefined) {
    object['status'] = { ...status, lastPhaseTransitionTime: earlier };
  }
}
