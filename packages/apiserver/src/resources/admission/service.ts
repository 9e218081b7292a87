import type { JsonObject } from '../../storage/stored-object.ts';
import { child } from '../defaulting/table.ts';
import type { AdmissionContext, Change } from '../resource-type.ts';
import { scalarText } from '../resource-type.ts';
import { allocateAddresses, keepAddresses, serviceBlocks } from './service-addresses.ts';
import { setFamilies } from './service-families.ts';
import { allocatePorts, keepPorts } from './service-ports.ts';
import { reserve, reserved } from './service-reservations.ts';
import { dropUnusedFields } from './service-type.ts';

/** The spec of a Service, and its spec before the write. */
export interface Specs {
  readonly name: string;
  readonly spec: JsonObject;
  readonly before: JsonObject | undefined;
}

/**
 * Allocates the addresses and ports of a Service (upstream: `pkg/registry/core/service/storage`).
 *
 * @throws {StatusError} 422 if a chosen address or port is taken or out of range, or the families do not match.
 */
export function admitService({ object, previous }: Change, { store, dryRun, hold }: AdmissionContext): void {
  const { name, namespace = '' } = object.metadata;
  const specs = { name, spec: child(object, 'spec'), before: previous?.['spec'] as JsonObject | undefined };
  const { spec, before } = specs;
  const others = store
    .resource('services')
    .list('')
    // A new Service competes with one of the same name, too: the conflict of the names is found later.
    .filter(({ key }) => !previous || key !== `${namespace}/${name}`);
  keepAddresses(specs);
  keepPorts(specs);
  setFamilies(specs);
  const pending = reserved(store);
  const addresses = pending.flatMap((each) => [...each.addresses]);
  allocateAddresses(specs, { blocks: serviceBlocks(store), others, reserved: addresses, dryRun });
  allocatePorts(specs, { others, reserved: pending.flatMap(({ ports }) => [...ports]), dryRun });
  if (!dryRun) hold(reserve(store, spec, before));
  // A real server removes it when it reads the object, after it was validated.
  if (spec['type'] === 'ExternalName' && ['Cluster', 'Local'].includes(scalarText(spec['internalTrafficPolicy']))) {
    delete spec['internalTrafficPolicy'];
  }
  if (!before) return;
  dropUnusedFields(spec, before);
  if (spec['type'] !== 'LoadBalancer') object['status'] = { ...(object['status'] as object), loadBalancer: {} };
}
