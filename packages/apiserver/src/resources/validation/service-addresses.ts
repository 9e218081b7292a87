import type { FieldError } from '../../status.ts';
import { duplicateField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { familyOf, legacyAddressErrors } from './ip-address.ts';

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const UNCHANGED = 'may not change once set';

const texts = (spec: unknown, field: string): string[] => listAt(spec, field).map(scalarText);

/** Reports whether a Service has no address of its own. */
export function isHeadless(spec: unknown): boolean {
  const addresses = listAt(spec, 'clusterIPs');
  return addresses.length === 1 && addresses[0] === 'None';
}

/**
 * Validates the addresses and families of a Service (upstream: `ValidateServiceClusterIPsRelatedFields`).
 *
 * @param before spec before the write.
 */
export function clusterAddressErrors(spec: unknown, before: unknown): FieldError[] {
  if (valueAt(spec, 'type') === 'ExternalName') return [];
  const [addresses, families] = [texts(spec, 'clusterIPs'), texts(spec, 'ipFamilies')];
  const policy = valueAt(spec, 'ipFamilyPolicy');
  const errors = firstAddressErrors(scalarText(valueAt(spec, 'clusterIP')), addresses);
  for (const [index, family] of families.entries()) {
    const field = `spec.ipFamilies[${index}]`;
    if (!FAMILIES.includes(family)) errors.push(unsupportedField(field, family, FAMILIES));
    if (families.indexOf(family) < index) errors.push(duplicateField(field, family));
  }
  if (policy !== undefined && !POLICIES.includes(scalarText(policy))) {
    errors.push(unsupportedField('spec.ipFamilyPolicy', policy, POLICIES));
  }
  const invalid = addresses.flatMap((address, index) => {
    if (index > 0 || address !== 'None') {
      return legacyAddressErrors(`spec.clusterIPs[${index}]`, address, listAt(before, 'clusterIPs'));
    }
    if (addresses.length === 1) return [];
    return [invalidField('spec.clusterIPs', addresses, "'None' must be the first and only value")];
  });
  errors.push(...invalid);
  if (addresses.length > 2) errors.push(invalidField('spec.clusterIPs', addresses, 'may only hold up to 2 values'));
  if (invalid.length > 0) return errors;
  const found = addresses.map(familyOf);
  if (addresses.length > 1 && new Set(found).size < 2) {
    errors.push(invalidField('spec.clusterIPs', addresses, 'may specify no more than one IP for each IP family'));
  }
  if (isHeadless(spec)) return errors;
  for (const [index, family] of families.slice(0, addresses.length).entries()) {
    if (family === found[index] || !FAMILIES.includes(family)) continue;
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalidField(`spec.clusterIPs[${index}]`, addresses[index], detail));
  }
  return errors;
}

function firstAddressErrors(own: string, addresses: readonly string[]): FieldError[] {
  const field = 'spec.clusterIPs';
  if (own === '') {
    return addresses.length === 0
      ? []
      : [invalidField(field, addresses, 'must be empty when `clusterIP` is not specified')];
  }
  if (addresses.length === 0) return [requiredField(field, '')];
  return addresses[0] === own ? [] : [invalidField(field, addresses, 'first value must match `clusterIP`')];
}

/** Validates which addresses and families an update adds and removes (upstream: `validateUpgradeDowngrade…`). */
export function addressChangeErrors(spec: unknown, before: unknown): FieldError[] {
  if ([spec, before].some((each) => valueAt(each, 'type') === 'ExternalName')) return [];
  const [is, was] = [isHeadless(spec), isHeadless(before)];
  if (is && was) return [];
  return [
    ...listChangeErrors(spec, before, 'clusterIPs'),
    ...(is || was ? [] : listChangeErrors(spec, before, 'ipFamilies')),
  ];
}

const UNSET = { clusterIPs: 'primary clusterIP can not be unset', ipFamilies: 'primary ipFamily can not be unset' };
const RELEASED = { clusterIPs: 'secondary clusterIP', ipFamilies: 'secondary ipFamily' };

function listChangeErrors(spec: unknown, before: unknown, list: 'clusterIPs' | 'ipFamilies'): FieldError[] {
  const [next, earlier, addresses] = [texts(spec, list), texts(before, list), texts(spec, 'clusterIPs')];
  const first = `spec.${list}[0]`;
  if (next.length === earlier.length) {
    return earlier.flatMap((text, index) => {
      const field = list === 'clusterIPs' ? `spec.clusterIPs[${index}]` : first;
      return text === next[index] ? [] : [invalidField(field, next, UNCHANGED)];
    });
  }
  const errors: FieldError[] = [];
  const isReduced = next.length < earlier.length;
  if (isReduced && addresses.length === 0) errors.push(invalidField(first, next, UNSET[list]));
  if (next.length > 0 && earlier.length > 0 && next[0] !== earlier[0]) {
    // Upstream shows the addresses in both errors.
    errors.push(invalidField(first, addresses, UNCHANGED));
  }
  const policy = valueAt(spec, 'ipFamilyPolicy') ?? null;
  if (isReduced && next.length === 1 && policy !== 'SingleStack') {
    const detail = `must be set to 'SingleStack' when releasing the ${RELEASED[list]}`;
    errors.push(invalidField('spec.ipFamilyPolicy', policy, detail));
  }
  return errors;
}
