import type { FieldError } from '../../status.ts';
import { duplicateField, forbiddenField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { internalValue } from '../internal/internal-value.ts';
import { subdomainErrors } from '../names.ts';
import { aggregated, isPodResource, POD_RESOURCES } from '../pod-level-resources.ts';
import { compareQuantities, formatQuantity, parseQuantity } from '../quantity.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { resourceNameErrors } from './resource-names.ts';
import { resourceErrors } from './resources.ts';
import { at, dnsLabel, textIfSet } from './rules.ts';

/** Validates the claims to devices of a Pod (upstream: `validatePodResourceClaims`). */
export function resourceClaimErrors(path: string, spec: unknown): FieldError[] {
  const names = new Set<string>();
  return listAt(spec, 'resourceClaims').flatMap((claim, index) => {
    const field = `${path}.resourceClaims[${index}]`;
    const name = scalarText(valueAt(claim, 'name'));
    const errors: FieldError[] = [];
    if (name === '') errors.push(requiredField(`${field}.name`, ''));
    else if (names.has(name)) errors.push(duplicateField(`${field}.name`, name));
    else errors.push(...dnsLabel([`${field}.name`, name]));
    names.add(name);
    const sources = [at(claim, field, 'resourceClaimName'), at(claim, field, 'resourceClaimTemplateName')];
    const count = sources.filter(([, value]) => value !== undefined).length;
    const detail =
      count === 2
        ? 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'
        : 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
    if (count !== 1) errors.push(invalidField(field, internalValue('PodResourceClaim', claim), detail));
    return [...errors, ...sources.flatMap((source) => textIfSet(source, subdomainErrors))];
  });
}

/** Validates what a Pod requests for all its containers together (upstream: `validatePodResources`). */
export function podResourceErrors(path: string, spec: unknown): FieldError[] {
  const resources = valueAt(spec, 'resources');
  const field = `${path}.resources`;
  if (resources === undefined) return [];
  if (valueAt(spec, 'os.name') === 'windows') return [forbiddenField(field, 'may not be set for a windows pod')];
  const claims = listAt(spec, 'resourceClaims').map((claim) => scalarText(valueAt(claim, 'name')));
  const hasClaims = valueAt(resources, 'claims') !== undefined;
  return [
    ...(hasClaims ? [forbiddenField(`${field}.claims`, 'claims may not be set for Resources at pod-level')] : []),
    ...resourceErrors([field, resources], claims, podResourceNameErrors),
    ...consistencyErrors(field, spec),
  ];
}

function podResourceNameErrors(field: string, name: string): FieldError[] {
  const errors = resourceNameErrors(field, name);
  if (errors.length > 0 || isPodResource(name)) return errors;
  return [unsupportedField(field, name, POD_RESOURCES)];
}

/** The Pod needs at least what its containers need. */
function consistencyErrors(field: string, spec: unknown): FieldError[] {
  const tooSmall = (part: 'limits' | 'requests', isChecked: (name: string) => boolean): FieldError[] =>
    [...aggregated(spec, part)].flatMap(([name, amount]) => {
      const own = valueAt(valueAt(spec, `resources.${part}`), name);
      const quantity = isChecked(name) ? parseQuantity(own) : undefined;
      if (!quantity || compareQuantities(amount, quantity) <= 0) return [];
      const detail = `must be greater than or equal to aggregate container ${part} of ${formatQuantity(amount)}`;
      return [invalidField(`${field}.${part}[${name}]`, own, detail)];
    });
  const limits = valueAt(spec, 'resources.limits');
  const tooLarge = listAt(spec, 'containers').flatMap((container, index) =>
    Object.entries(valueAt(container, 'resources.limits') ?? {}).flatMap(([name, amount]) => {
      const [quantity, most] = [parseQuantity(amount), parseQuantity(valueAt(limits, name))];
      if (!quantity || !most || compareQuantities(quantity, most) <= 0) return [];
      const detail = `must be less than or equal to pod limits of ${formatQuantity(most)}`;
      return [invalidField(`${field}.containers[${index}][${name}].limits`, amount, detail)];
    }),
  );
  return [
    ...tooSmall('requests', () => true),
    ...tooSmall('limits', (name) => name.startsWith('hugepages-')),
    ...tooLarge,
  ];
}

/** Validates what a Pod needs besides its containers. Upstream checks it as limits of a container. */
export function overheadErrors(path: string, spec: unknown): FieldError[] {
  const limits = valueAt(spec, 'overhead');
  return limits === undefined ? [] : resourceErrors([`${path}.overhead`, { limits }], []);
}
