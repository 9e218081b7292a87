import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, StoredObject } from '../../storage/stored-object.ts';
import type { StatusError } from '../../status.ts';
import { internalError, invalid, invalidField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText } from '../resource-type.ts';
import { addressText, familyOf } from '../validation/ip-address.ts';
import type { Specs } from './service.ts';
import { isMatchingPreferDualStack } from './service-families.ts';

/** Addresses of Services: 10.0.0.0/24, as envtest starts kube-apiserver. */
const NETWORK = '10.0.0.';
const LAST_HOST = 254;
/** Addresses below are for clients that choose them. */
const FIRST_DYNAMIC_HOST = 17;

const needsAddress = (spec: JsonObject): boolean => spec['type'] !== 'ExternalName';

/** Keeps the addresses of an update without them, and makes `clusterIPs` follow `clusterIP`. */
export function keepAddresses({ spec, before }: Specs): void {
  const of = (each: JsonObject): readonly unknown[] => listAt(each, 'clusterIPs');
  if (before && needsAddress(spec) && needsAddress(before)) {
    if (!spec['clusterIP']) spec['clusterIP'] = before['clusterIP'];
    if (of(spec).length === 0 && of(before).length > 0) spec['clusterIPs'] = before['clusterIPs'];
  }
  const [own, earlier] = [scalarText(spec['clusterIP']), scalarText(before?.['clusterIP'])];
  if (!before) {
    if (own !== '' && of(spec).length === 0) spec['clusterIPs'] = [own];
    return;
  }
  if (of(before).length > 0 && of(spec).length === 0 && own === earlier) spec['clusterIPs'] = before['clusterIPs'];
  if (own === earlier || !isDeepStrictEqual(of(spec), of(before))) return;
  if (earlier !== '' && own === '') delete spec['clusterIPs'];
  else spec['clusterIPs'] = [own];
}

/**
 * Allocates the address of a Service that gets one.
 *
 * @param others the other Services of the cluster.
 * @throws {StatusError} 422 if a chosen address is taken or out of range.
 */
export function allocateAddresses({ name, spec, before }: Specs, others: readonly StoredObject[]): void {
  const wasExternal = before !== undefined && !needsAddress(before);
  const addresses = listAt(spec, 'clusterIPs').map(scalarText);
  if (!needsAddress(spec) || addresses[0] === 'None') return;
  // An update keeps the address. A cluster of one family has no second one to add.
  if ((before && !wasExternal) || isMatchingPreferDualStack(spec, before)) return;
  const taken = new Set(others.map(({ fields }) => fields['spec.clusterIP'] ?? ''));
  const [chosen = ''] = addresses;
  if (chosen !== '') checkAddress(name, chosen, taken);
  const address = chosen === '' ? freeAddress(taken) : chosen;
  spec['clusterIP'] = address;
  spec['clusterIPs'] = [address, ...addresses.slice(1)];
}

function freeAddress(taken: ReadonlySet<string>): string {
  const hosts = Array.from({ length: LAST_HOST }, (_, index) => index + 1);
  const order = [...hosts.slice(FIRST_DYNAMIC_HOST - 1), ...hosts.slice(0, FIRST_DYNAMIC_HOST - 1)];
  const host = order.find((candidate) => !taken.has(`${NETWORK}${candidate}`));
  if (host !== undefined) return `${NETWORK}${host}`;
  throw internalError(new Error('failed to allocate a serviceIP: range is full'));
}

/** @throws {StatusError} 422 if the address is taken or out of range. */
function checkAddress(name: string, address: string, taken: ReadonlySet<string>): void {
  const canonical = addressText(address);
  const isInRange = familyOf(address) === 'IPv4' && canonical.startsWith(NETWORK) && !/\.(?:0|255)$/u.test(canonical);
  if (!isInRange) throw refused(name, address, 'the provided network does not match the current range');
  if (taken.has(address)) throw refused(name, address, 'provided IP is already allocated');
}

function refused(name: string, address: string, why: string): StatusError {
  const error = invalidField('spec.clusterIPs', [address], `failed to allocate IP ${address}: ${why}`);
  return invalid({ group: '', kind: 'Service' }, name, [error]);
}
