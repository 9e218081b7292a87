import { valueAt } from '../resource-type.ts';
import type { Change } from '../resource-type.ts';
import { now } from '../timestamp.ts';

/** Sets the condition `Available`: that of a group of this server is true, and nothing runs behind other Services. */
export function admitApiService({ object, previous }: Change): void {
  if (previous) return;
  const service = valueAt(object, 'spec.service');
  const [namespace, name] = [valueAt(service, 'namespace'), valueAt(service, 'name')].map(String);
  const condition =
    service === undefined
      ? { status: 'True', reason: 'Local', message: 'Local APIServices are always available' }
      : {
          status: 'False',
          reason: 'ServiceNotFound',
          message: `service/${name ?? ''} in "${namespace ?? ''}" is not present`,
        };
  object['status'] = { conditions: [{ type: 'Available', lastTransitionTime: now(), ...condition }] };
}
