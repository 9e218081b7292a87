import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField } from '../../status.ts';
import type { ApiObject, JsonObject } from '../../storage/stored-object.ts';
import { qualityOfService } from '../admission/quality-of-service.ts';
import { listAt } from '../cells.ts';
import { formatQuantity, parseQuantity } from '../quantity.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { MIRROR, WHOLE } from './pod-annotations.ts';

const LISTS = ['initContainers', 'containers'] as const;
const PARTS = ['requests', 'limits'] as const;
const MUTABLE = ['cpu', 'memory'];

/**
 * Validates new resources of the containers of a Pod (upstream: `ValidatePodResize`).
 *
 * @param errors errors of the new Pod.
 */
export function resizeErrors(errors: readonly FieldError[], pod: ApiObject, previous: ApiObject): FieldError[] {
  const [spec, before] = [pod['spec'] as JsonObject, previous['spec'] as JsonObject];
  if (previous.metadata.annotations?.[MIRROR] !== undefined) {
    return [forbiddenField(WHOLE, 'static pods cannot be resized')];
  }
  if (valueAt(before, 'os.name') === 'windows') return [forbiddenField(WHOLE, 'windows pods cannot be resized')];
  const found = [...errors, ...classErrors(spec, previous), ...nodeErrors(previous)];
  if ([spec, before].some(hasOwnResources)) {
    const gate = 'InPlacePodLevelResourcesVerticalScalingEnabled';
    const detail = `resize of pods with pod-level resources is forbidden when ${gate} feature gate is disabled`;
    return [...found, forbiddenField(WHOLE, detail)];
  }
  const moved = [...LISTS].reverse().flatMap((list) => orderErrors(list, spec, before));
  if (moved.length > 0) return [...found, ...moved];
  found.push(
    ...pairs('initContainers', spec, before).flatMap((pair) => (isSidecar(pair.old) ? removalErrors(pair) : [])),
    ...pairs('containers', spec, before).flatMap(removalErrors),
    ...pairs('containers', spec, before).flatMap(({ next, old }) =>
      isDeepStrictEqual(withMutable(next, old), comparable(old))
        ? []
        : [forbiddenField('spec', 'only cpu and memory resources are mutable')],
    ),
    ...pairs('initContainers', spec, before).flatMap(({ next, old }) => initErrors(next, old)),
  );
  return found;
}

function classErrors(spec: JsonObject, previous: ApiObject): FieldError[] {
  const shown = valueAt(previous, 'status.qosClass');
  const before = scalarText(shown) || qualityOfService(previous['spec'] as JsonObject);
  if (before === qualityOfService(spec)) return [];
  return [invalidField('spec', shown ?? '', 'Pod QOS Class may not change as a result of resizing')];
}

/** A node that supports it reports the resources of running containers. */
function nodeErrors(previous: ApiObject): FieldError[] {
  const running = listAt(previous, 'status.containerStatuses').find(
    (status) => valueAt(status, 'state.running') !== undefined,
  );
  if (running === undefined || valueAt(running, 'resources') !== undefined) return [];
  return [forbiddenField('spec', 'Pod running on node without support for resize')];
}

function hasOwnResources(spec: JsonObject): boolean {
  return PARTS.some((part) => Object.keys(valueAt(spec, `resources.${part}`) ?? {}).length > 0);
}

function orderErrors(list: string, spec: JsonObject, before: JsonObject): FieldError[] {
  const [next, old] = [spec, before].map((each) => listAt(each, list).map((container) => valueAt(container, 'name')));
  if (next?.length !== old?.length) {
    return [forbiddenField(`spec.${list}`, `${list} may not be added or removed on resize`)];
  }
  return (old ?? []).flatMap((name, index) =>
    next?.[index] === name
      ? []
      : [forbiddenField(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`)],
  );
}

interface Pair {
  readonly field: string;
  readonly next: JsonObject;
  readonly old: JsonObject;
}

function pairs(list: string, spec: JsonObject, before: JsonObject): readonly Pair[] {
  const next = listAt(spec, list);
  return listAt(before, list).map((old, index) => ({
    field: `spec.${list}[${index}].resources`,
    next: next[index] as JsonObject,
    old: old as JsonObject,
  }));
}

const isSidecar = (container: JsonObject): boolean => container['restartPolicy'] === 'Always';

function amounts(container: JsonObject, part: string): Readonly<Record<string, unknown>> {
  return (valueAt(container, `resources.${part}`) ?? {}) as Readonly<Record<string, unknown>>;
}

function removalErrors({ field, next, old }: Pair): FieldError[] {
  return PARTS.flatMap((part) => {
    const left = amounts(next, part);
    const isRemoved = Object.keys(amounts(old, part)).some((name) => left[name] === undefined);
    return isRemoved ? [forbiddenField(`${field}.${part}`, `resource ${part} cannot be removed`)] : [];
  });
}

function initErrors(next: JsonObject, old: JsonObject): FieldError[] {
  const isSame = isSidecar(next)
    ? isDeepStrictEqual(withMutable(next, old), comparable(old))
    : isDeepStrictEqual(comparable(next), comparable(old));
  if (isSame) return [];
  return isSidecar(next)
    ? [forbiddenField('spec', 'only cpu and memory resources for sidecar containers are mutable')]
    : [forbiddenField('spec', 'resources for non-sidecar init containers are immutable')];
}

/** Returns a container with the CPU and memory of another one, and without claims, which upstream drops. */
function withMutable(next: JsonObject, old: JsonObject): JsonObject {
  const resources = PARTS.map((part) => {
    const before = amounts(old, part);
    const kept = Object.entries(amounts(next, part)).filter(([name]) => !MUTABLE.includes(name));
    const own = Object.entries(before).filter(([name]) => MUTABLE.includes(name));
    return [part, Object.fromEntries([...kept, ...own])] as const;
  });
  return comparable({ ...next, resources: Object.fromEntries(resources) });
}

/** Returns a container whose amounts are in canonical form, and whose lists of resources are present. */
function comparable(container: JsonObject): JsonObject {
  const lists = PARTS.map((part) => {
    const entries = Object.entries(amounts(container, part)).map(([name, amount]) => {
      const quantity = parseQuantity(amount);
      return [name, quantity ? formatQuantity(quantity) : amount] as const;
    });
    return [part, Object.fromEntries(entries)] as const;
  });
  const claims = listAt(container, 'resources.claims');
  const resources = { ...Object.fromEntries(lists), ...(claims.length > 0 && { claims }) };
  return { ...container, resources, resizePolicy: listAt(container, 'resizePolicy') };
}
