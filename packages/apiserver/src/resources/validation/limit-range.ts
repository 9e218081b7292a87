import type { FieldError } from '../../status.ts';
import { duplicateField, forbiddenField, invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { qualifiedNameErrors } from '../names.ts';
import type { Quantity } from '../quantity.ts';
import { compareQuantities, formatQuantity, parseQuantity } from '../quantity.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';

const TYPES = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);
const OF_CONTAINERS = new Set(['cpu', 'memory', 'ephemeral-storage']);
const STANDARD = new Set(
  'cpu memory ephemeral-storage requests.cpu requests.memory requests.ephemeral-storage limits.cpu limits.memory limits.ephemeral-storage pods resourcequotas services replicationcontrollers secrets configmaps persistentvolumeclaims storage requests.storage services.nodeports services.loadbalancers'.split(
    ' ',
  ),
);

type Amounts = ReadonlyMap<string, Quantity>;

/** Validates a LimitRange (upstream: `ValidateLimitRange`). */
export function limitRangeErrors({ object }: Change): FieldError[] {
  const limits = listAt(object, 'spec.limits');
  const types = limits.map((limit) => scalarText(valueAt(limit, 'type')));
  return limits.flatMap((limit, index) => {
    const path = `spec.limits[${index}]`;
    const type = types[index] ?? '';
    const isRepeated = types.indexOf(type) < index;
    return [
      ...typeErrors(`${path}.type`, type),
      ...(isRepeated ? [duplicateField(`${path}.type`, type)] : []),
      ...itemErrors(path, type, limit),
    ];
  });
}

function typeErrors(field: string, type: string): FieldError[] {
  const details = qualifiedNameErrors(type);
  if (details.length > 0) return details.map((detail) => invalidField(field, type, detail));
  if (type.includes('/') || TYPES.has(type)) return [];
  return [invalidField(field, type, 'must be a standard limit type or fully qualified')];
}

function itemErrors(path: string, type: string, limit: unknown): FieldError[] {
  const amounts = (field: string): Amounts =>
    new Map(
      Object.entries(valueAt(limit, field) ?? {})
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([name, amount]) => {
          const quantity = parseQuantity(amount);
          return quantity ? [[name, quantity] as const] : [];
        }),
    );
  const [most, least, ratio] = [amounts('max'), amounts('min'), amounts('maxLimitRequestRatio')];
  const [limits, requests] = [amounts('default'), amounts('defaultRequest')];
  const names = (field: string, of: Amounts): FieldError[] =>
    [...of.keys()].flatMap((name) => resourceNameErrors(`${path}.${field}[${name}]`, type, name));
  const isPod = type === 'Pod';
  const onlyOthers = (field: string, of: Amounts): FieldError[] => {
    if (!isPod) return names(field, of);
    return of.size > 0 ? [forbiddenField(`${path}.${field}`, "may not be specified when `type` is 'Pod'")] : [];
  };
  const isUnbounded = type === 'PersistentVolumeClaim' && !most.has('storage') && !least.has('storage');
  const missing = 'either minimum or maximum storage value is required, but neither was provided';
  const own = isPod ? { most, least, ratio } : { most, least, ratio, limits, requests };
  const used = new Set(Object.values(own).flatMap((of: Amounts) => [...of.keys()]));
  return [
    ...names('max', most),
    ...names('min', least),
    ...onlyOthers('default', limits),
    ...onlyOthers('defaultRequest', requests),
    ...(isUnbounded ? [requiredField(`${path}.limits`, missing)] : []),
    ...names('maxLimitRequestRatio', ratio),
    ...[...used].flatMap((name) =>
      comparisonErrors(path, name, {
        most: most.get(name),
        least: least.get(name),
        ratio: ratio.get(name),
        ...(!isPod && { limit: limits.get(name), request: requests.get(name) }),
      }),
    ),
  ];
}

function resourceNameErrors(field: string, type: string, name: string): FieldError[] {
  const errors = qualifiedNameErrors(name).map((detail) => invalidField(field, name, detail));
  const ofContainers = type === 'Pod' || type === 'Container';
  if (ofContainers && isForeign(name) && !isExtended(name)) {
    errors.push(invalidField(field, name, "doesn't follow extended resource name standard"));
  }
  if (name.includes('/') || name.startsWith('hugepages-')) return errors;
  if (errors.length === 0 && !STANDARD.has(name)) {
    errors.push(invalidField(field, name, 'must be a standard resource type or fully qualified'));
  }
  if (ofContainers && !OF_CONTAINERS.has(name)) {
    errors.push(invalidField(field, name, 'must be a standard resource for containers'));
  }
  return errors;
}

/** Reports whether a resource is not one of Kubernetes. */
function isForeign(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/');
}

/** Reports whether a quota for requests of the resource would have a valid name (upstream: `IsExtendedResourceName`). */
function isExtended(name: string): boolean {
  return !name.startsWith('requests.') && qualifiedNameErrors(`requests.${name}`).length === 0;
}

/** The amounts of one resource. */
interface Bounds {
  readonly most: Quantity | undefined;
  readonly least: Quantity | undefined;
  readonly ratio: Quantity | undefined;
  readonly limit?: Quantity | undefined;
  readonly request?: Quantity | undefined;
}

function comparisonErrors(path: string, name: string, { most, least, ratio, limit, request }: Bounds): FieldError[] {
  const errors: FieldError[] = [];
  const compare = (
    field: string,
    [smaller, noun]: readonly [Quantity | undefined, string],
    [larger, other]: readonly [Quantity | undefined, string],
    shown: Quantity | undefined,
  ): void => {
    if (!smaller || !larger || !shown || compareQuantities(smaller, larger) <= 0) return;
    const detail = `${noun} value ${formatQuantity(smaller)} is greater than ${other} value ${formatQuantity(larger)}`;
    errors.push(invalidField(`${path}.${field}[${name}]`, formatQuantity(shown), detail));
  };
  compare('min', [least, 'min'], [most, 'max'], least);
  compare('defaultRequest', [least, 'min'], [request, 'default request'], request);
  compare('defaultRequest', [request, 'default request'], [most, 'max'], request);
  compare('defaultRequest', [request, 'default request'], [limit, 'default limit'], request);
  // Upstream shows the other value here.
  compare('default', [least, 'min'], [limit, 'default'], least);
  compare('default', [limit, 'default'], [most, 'max'], most);
  errors.push(...ratioErrors(`${path}.maxLimitRequestRatio[${name}]`, ratio, least, most));
  const isExact = name.includes('/') || name.startsWith('hugepages-');
  if (isExact && limit && request && compareQuantities(limit, request) !== 0) {
    const detail = `default value ${formatQuantity(limit)} must equal to defaultRequest value ${formatQuantity(request)} in ${name}`;
    errors.push(invalidField(`${path}.defaultRequest[${name}]`, formatQuantity(request), detail));
  }
  return errors;
}

const ONE = 1_000_000_000n;

function ratioErrors(
  field: string,
  ratio: Quantity | undefined,
  least: Quantity | undefined,
  most: Quantity | undefined,
): FieldError[] {
  if (!ratio) return [];
  const text = formatQuantity(ratio);
  const errors = ratio.nano < ONE ? [invalidField(field, text, `ratio ${text} is less than 1`)] : [];
  if (!least || !most) return errors;
  const highest = Number(most.nano) / Number(least.nano);
  if (Number(ratio.nano) / Number(ONE) > highest) {
    errors.push(invalidField(field, text, `ratio ${text} is greater than max/min = ${highest.toFixed(6)}`));
  }
  return errors;
}
