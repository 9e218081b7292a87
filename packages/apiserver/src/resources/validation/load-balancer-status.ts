import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { legacyAddressErrors, parseAddress } from './ip-address.ts';
import { subdomain } from './rules.ts';

const MODES = ['Proxy', 'VIP'];
const PATH = 'status.loadBalancer.ingress';

/** Validates the status of a Service of a type (upstream: `ValidateLoadBalancerStatus`). */
export function loadBalancerStatusErrors(object: unknown, previous: unknown, type: string): FieldError[] {
  const ingress = listAt(object, PATH);
  if (type !== 'LoadBalancer') {
    return ingress.length === 0 ? [] : [forbiddenField(PATH, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  const before = listAt(previous, PATH).map((each) => valueAt(each, 'ip'));
  return ingress.flatMap((each, index) => {
    const field = `${PATH}[${index}]`;
    const address = scalarText(valueAt(each, 'ip'));
    const mode = valueAt(each, 'ipMode');
    const errors = address === '' ? [] : legacyAddressErrors(`${field}.ip`, address, before);
    if (mode !== undefined && address === '') {
      errors.push(forbiddenField(`${field}.ipMode`, 'may not be specified when `ip` is not set'));
    } else if (mode !== undefined && !MODES.includes(scalarText(mode))) {
      errors.push(unsupportedField(`${field}.ipMode`, mode, MODES));
    }
    return [...errors, ...hostErrors(`${field}.hostname`, scalarText(valueAt(each, 'hostname')))];
  });
}

/** Validates the name of a host, which is not an address. */
export function hostErrors(field: string, host: string): FieldError[] {
  if (host === '') return [];
  return [
    ...subdomain([field, host]),
    ...(parseAddress(host) ? [invalidField(field, host, 'must be a DNS name, not an IP address')] : []),
  ];
}
