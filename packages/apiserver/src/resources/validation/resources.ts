import type { FieldError } from '../../status.ts';
import { invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { compareQuantities, parseQuantity } from '../quantity.ts';
import { valueAt } from '../resource-type.ts';
import { containerResourceNameErrors } from './resource-names.ts';

const STANDARD = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Validates an amount: not negative, and whole if the resource only comes in wholes. */
export function amountErrors(field: string, name: string, amount: unknown): FieldError[] {
  const quantity = parseQuantity(amount);
  if (!quantity) return [];
  const errors: FieldError[] = [];
  if (quantity.nano < 0n) errors.push(invalidField(field, amount, 'must be greater than or equal to 0'));
  const isFraction = quantity.nano % 1_000_000_000n !== 0n;
  if (isFraction && !STANDARD.has(name) && !name.startsWith('requests.') && !name.startsWith('limits.')) {
    errors.push(invalidField(field, amount, 'must be an integer'));
  }
  return errors;
}

/** Validates the limits and requests of a container (upstream: `validateResourceRequirements`). */
export function resourceErrors([field, resources]: readonly [string, unknown]): FieldError[] {
  const of = (part: string): Record<string, unknown> => (valueAt(resources, part) ?? {}) as Record<string, unknown>;
  const sorted = (part: string): [string, unknown][] =>
    Object.entries(of(part)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const limits = of('limits');
  const ofLimits = sorted('limits').flatMap(([name, amount]) => {
    const place = `${field}.limits[${name}]`;
    return [...containerResourceNameErrors(place, name), ...amountErrors(place, name, amount)];
  });
  const ofRequests = sorted('requests').flatMap(([name, amount]) => {
    const place = `${field}.requests[${name}]`;
    const own = [...containerResourceNameErrors(place, name), ...amountErrors(place, name, amount)];
    return [...own, ...limitErrors(field, name, amount, limits[name])];
  });
  const claims = listAt(resources, 'claims').flatMap((claim, index) =>
    valueAt(claim, 'name') ? [] : [requiredField(`${field}.claims[${index}].name`, '')],
  );
  return [...claims, ...ofLimits, ...ofRequests];
}

function limitErrors(field: string, name: string, amount: unknown, limit: unknown): FieldError[] {
  const [request, most] = [parseQuantity(amount), parseQuantity(limit)];
  if (!request) return [];
  const isExact = name.includes('/') || name.startsWith('hugepages-');
  if (!most) {
    return isExact ? [requiredField(`${field}.limits`, 'Limit must be set for non overcommitable resources')] : [];
  }
  const difference = compareQuantities(request, most);
  if (isExact && difference !== 0) {
    const detail = `must be equal to ${name} limit of ${String(limit)}`;
    return [invalidField(`${field}.requests`, amount, detail)];
  }
  if (difference <= 0) return [];
  return [invalidField(`${field}.requests`, amount, `must be less than or equal to ${name} limit of ${String(limit)}`)];
}
