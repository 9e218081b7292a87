import type { JsonObject } from '../../storage/stored-object.ts';
import { child } from '../defaulting/table.ts';
import type { AdmissionContext, Change } from '../resource-type.ts';
import { scalarText } from '../resource-type.ts';
import { chooseAddress, keepAddresses } from './service-addresses.ts';
import { setFamilies } from './service-families.ts';
import { allocatePorts, keepPorts } from './service-ports.ts';
import { reservePorts } from './service-reservations.ts';
import { dropUnusedFields } from './service-type.ts';

/** The spec of a Service, and its spec before the write. */
export interface Specs {
  readonly name: string;
  readonly namespace: string;
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
  const before = previous?.['spec'] as JsonObject | undefined;
  const specs = { name, namespace, spec: child(object, 'spec'), before };
  const { spec } = specs;
  keepAddresses(specs);
  keepPorts(specs);
  setFamilies(specs);
  chooseAddress(specs, { store, dryRun });
  allocatePorts(specs, { store, dryRun });
  if (!dryRun) hold(reservePorts(store, spec, before));
  // A real server removes it when it reads the object, after it was validated.
  if (spec['type'] === 'ExternalName' && ['Cluster', 'Local'].includes(scalarText(spec['internalTrafficPolicy']))) {
    delete spec['internalTrafficPolicy'];
  }
  if (!before) return;
  dropUnusedFields(spec, before);
  if (spec['type'] !== 'LoadBalancer') object['status'] = { ...(object['status'] as object), loadBalancer: {} };
}
