import { isDeepStrictEqual } from 'node:util';
import { badRequest } from '../status.ts';
import { isObject } from './merge-patch.ts';

/**
 * The lists of built-in kinds that merge by a key, by the name of their field (`patchMergeKey` in the Go types of
 * `k8s.io/api`). Every other list of objects is replaced as a whole.
 */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  conditions: 'type',
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  env: 'name',
  imagePullSecrets: 'name',
  secrets: 'name',
  ports: 'containerPort',
  volumes: 'name',
  volumeMounts: 'mountPath',
  volumeDevices: 'devicePath',
  hostAliases: 'ip',
  topologySpreadConstraints: 'topologyKey',
  resourceClaims: 'name',
  ownerReferences: 'uid',
};

/** Lists of scalars that merge as sets. */
const MERGED_SETS = new Set(['finalizers']);

const DELETE_FROM = '$deleteFromPrimitiveList/';
const SET_ORDER = '$setElementOrder/';
const RETAIN_KEYS = '$retainKeys';

/**
 * Applies a strategic merge patch: objects merge, lists with a merge key merge by it, other lists are replaced.
 * Understands `$patch: replace | delete | merge`, `$deleteFromPrimitiveList`, `$setElementOrder` and `$retainKeys`.
 *
 * @throws {StatusError} 400 when the patch breaks these rules.
 */
export function strategicMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) throw badRequest('a strategic merge patch must be an object');
  return mergeObject(isObject(target) ? target : {}, patch);
}

function mergeObject(target: Record<string, unknown>, patch: Record<string, unknown>): Record<string, unknown> {
  const { $patch: directive, [RETAIN_KEYS]: retained, ...fields } = patch;
  if (directive === 'replace') return fields;
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge')
    throw badRequest(`Unrecognized patch directive: ${JSON.stringify(directive)}`);

  const merged = new Map(Object.entries(target));
  if (Array.isArray(retained)) {
    for (const field of merged.keys()) if (!retained.includes(field)) merged.delete(field);
  }
  for (const [field, value] of Object.entries(fields)) {
    if (field.startsWith(SET_ORDER)) continue;
    if (field.startsWith(DELETE_FROM)) {
      const name = field.slice(DELETE_FROM.length);
      const list = merged.get(name);
      if (Array.isArray(list) && Array.isArray(value)) merged.set(name, without(list, value));
    } else if (value === null) {
      merged.delete(field);
    } else {
      merged.set(field, mergeValue(field, merged.get(field), value));
    }
  }
  for (const [field, order] of Object.entries(fields)) {
    if (!field.startsWith(SET_ORDER) || !Array.isArray(order)) continue;
    const name = field.slice(SET_ORDER.length);
    const list = merged.get(name);
    if (Array.isArray(list)) merged.set(name, ordered(name, list, order));
  }
  return Object.fromEntries(merged);
}

function mergeValue(field: string, target: unknown, value: unknown): unknown {
  if (isObject(value)) return mergeObject(isObject(target) ? target : {}, value);
  if (!Array.isArray(value)) return value;
  const present: readonly unknown[] = Array.isArray(target) ? target : [];
  const items: readonly unknown[] = value;
  const key = mergeKey(field, [...present, ...items]);
  if (key !== undefined) return mergeKeyedList(key, present, items);
  return MERGED_SETS.has(field) ? [...new Set([...present, ...items])] : items;
}

/** The merge key of a list, when it is a list of objects that has one. The ports of a Service merge by `port`. */
function mergeKey(field: string, items: readonly unknown[]): string | undefined {
  const key = Object.hasOwn(MERGE_KEYS, field) ? MERGE_KEYS[field] : undefined;
  const objects = items.filter(isObject).filter((item) => item['$patch'] !== 'replace');
  if (key === undefined || objects.length === 0) return undefined;
  if (objects.every((item) => Object.hasOwn(item, key))) return key;
  return field === 'ports' && objects.every((item) => Object.hasOwn(item, 'port')) ? 'port' : undefined;
}

function mergeKeyedList(key: string, target: readonly unknown[], patch: readonly unknown[]): unknown[] {
  const replaces = patch.some((item) => isObject(item) && item['$patch'] === 'replace');
  const merged: unknown[] = replaces ? [] : [...target];
  for (const item of patch) {
    if (!isObject(item)) throw badRequest('a list of objects was patched with something else');
    if (item['$patch'] === 'replace') continue;
    const index = merged.findIndex((present) => isObject(present) && isDeepStrictEqual(present[key], item[key]));
    if (item['$patch'] === 'delete') {
      if (index >= 0) merged.splice(index, 1);
    } else {
      const before = merged[index];
      const after = mergeObject(isObject(before) ? before : {}, item);
      if (index >= 0) merged[index] = after;
      else merged.push(after);
    }
  }
  return merged;
}

function without(list: readonly unknown[], values: readonly unknown[]): unknown[] {
  return list.filter((item) => !values.some((value) => isDeepStrictEqual(item, value)));
}

/** The list in the order that the patch's author saw; items that the author did not know keep their places at the end. */
function ordered(field: string, list: readonly unknown[], order: readonly unknown[]): unknown[] {
  const key = mergeKey(field, list);
  const identity = (item: unknown): unknown => (key !== undefined && isObject(item) ? item[key] : item);
  const wanted = order.map(identity);
  const place = (item: unknown): number => {
    const index = wanted.findIndex((value) => isDeepStrictEqual(value, identity(item)));
    return index < 0 ? wanted.length : index;
  };
  return [...list].sort((a, b) => place(a) - place(b));
}
