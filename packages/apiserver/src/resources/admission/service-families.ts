import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { invalid, invalidField } from '../../status.ts';
import type { JsonObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { scalarText } from '../resource-type.ts';
import { familyOf } from '../validation/ip-address.ts';
import { clusterAddressErrors } from '../validation/service-addresses.ts';
import type { Specs } from './service.ts';

/** The family of the cluster, as envtest starts kube-apiserver. */
const FAMILY = 'IPv4';

const POLICY = 'spec.ipFamilyPolicy';
const LISTS = ['clusterIPs', 'ipFamilies'] as const;

/**
 * Sets the families of a Service and their policy (upstream: `initIPFamilyFields`).
 *
 * @throws {StatusError} 422 if they do not match the addresses, or the cluster does not have a family.
 */
export function setFamilies({ name, spec, before }: Specs): void {
  if (spec['type'] === 'ExternalName' || isMatchingPreferDualStack(spec, before)) return;
  const isOpen = spec['clusterIP'] === 'None' && Object.keys(spec['selector'] ?? {}).length === 0;
  spec['ipFamilyPolicy'] ??= before?.['ipFamilyPolicy'] ?? (isOpen ? 'RequireDualStack' : 'SingleStack');
  refuse(name, clusterAddressErrors(spec, before));
  refuse(name, [...reductionErrors(spec, before), ...policyErrors(spec), ...inferFamilies(spec)]);
  const families = listAt(spec, 'ipFamilies').map(scalarText);
  const isSingle = spec['ipFamilyPolicy'] === 'SingleStack';
  if (!isOpen) refuse(name, unconfiguredErrors(spec, families));
  if (families.length === 0) families.push(FAMILY);
  // Endpoints that no selector chooses may be of both families.
  if (isOpen && families.length < 2 && !isSingle) families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4');
  spec['ipFamilies'] = families;
}

function refuse(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: '', kind: 'Service' }, name, errors);
}

/** Drops the second address and family of a Service that becomes one of a single family. */
function reductionErrors(spec: JsonObject, before: JsonObject | undefined): FieldError[] {
  if (!before) return [];
  const errors: FieldError[] = [];
  for (const list of LISTS) {
    const [next, earlier] = [listAt(spec, list), listAt(before, list)];
    if (spec['ipFamilyPolicy'] === 'SingleStack') {
      if (next.length > 1 && isDeepStrictEqual(next, earlier)) spec[list] = next.slice(0, 1);
    } else if (next.length > 0 && next.length < earlier.length) {
      const what = list === 'clusterIPs' ? 'cluster IP' : 'IP family';
      errors.push(
        invalidField(POLICY, spec['ipFamilyPolicy'], `must be 'SingleStack' to release the secondary ${what}`),
      );
    }
  }
  return errors;
}

function policyErrors(spec: JsonObject): FieldError[] {
  if (spec['ipFamilyPolicy'] !== 'SingleStack') return [];
  return LISTS.filter((list) => listAt(spec, list).length === 2).map((list) => {
    const what = list === 'clusterIPs' ? 'cluster IPs' : 'IP families';
    const detail = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    return invalidField(POLICY, 'SingleStack', detail);
  });
}

/** Sets the families of addresses without one. */
function inferFamilies(spec: JsonObject): FieldError[] {
  const [addresses, families] = LISTS.map((list) => listAt(spec, list).map(scalarText));
  if (!addresses || !families || addresses[0] === 'None') return [];
  const errors: FieldError[] = [];
  for (const [index, address] of addresses.entries()) {
    const family = familyOf(address) ?? FAMILY;
    if (index < families.length) continue;
    if (family === FAMILY) families.push(family);
    else {
      const detail = `${family} is not configured on this cluster`;
      errors.push(invalidField(`spec.clusterIPs[${index}]`, addresses, detail));
    }
  }
  if (families.length > 0) spec['ipFamilies'] = families;
  return errors;
}

function unconfiguredErrors(spec: JsonObject, families: readonly string[]): FieldError[] {
  const detail = 'this cluster is not configured for dual-stack services';
  return [
    ...(spec['ipFamilyPolicy'] === 'RequireDualStack' ? [invalidField(POLICY, 'RequireDualStack', detail)] : []),
    ...families.flatMap((family, index) =>
      family === FAMILY ? [] : [invalidField(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')],
    ),
  ];
}

/** Reports whether an update keeps addresses and families, so that the cluster does not change them. */
export function isMatchingPreferDualStack(spec: JsonObject, before: JsonObject | undefined): boolean {
  const isPreferred = (each: JsonObject | undefined): boolean => each?.['ipFamilyPolicy'] === 'PreferDualStack';
  return (
    isPreferred(spec) &&
    isPreferred(before) &&
    spec['type'] === before?.['type'] &&
    LISTS.every((list) => isDeepStrictEqual(listAt(spec, list), listAt(before, list)))
  );
}
