import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '../schema/schema.ts';
import { fieldSchema } from '../schema/schema.ts';
import { wrapIntegers } from '../schema/wrap-integers.ts';
import { plainText } from '../apply/go-format.ts';
import { badRequest, StatusError } from '../status.ts';
import { inElementOrder, requireSentOrder } from './element-order.ts';
import { isObject } from './merge-patch.ts';

const DELETE_FROM = '$deleteFromPrimitiveList/';
const SET_ORDER = '$setElementOrder/';
const RETAIN_KEYS = '$retainKeys';

/**
 * Applies a strategic merge patch: objects merge, lists with keys in the schema merge by the first key (`patchMergeKey`
 * in the Go types of `k8s.io/api`), sets are joined, other lists are replaced. Supports `$patch: replace | delete |
 * merge`, `$deleteFromPrimitiveList`, `$setElementOrder` and `$retainKeys`.
 *
 * @throws {StatusError} 400 if the patch is invalid.
 */
export function strategicMergePatch(target: unknown, sent: unknown, schema: Schema): unknown {
  const patch = sent ?? {};
  if (!isObject(patch)) {
    const found = Array.isArray(patch) ? 'array' : typeof patch === 'boolean' ? 'bool' : typeof patch;
    throw badRequest(`json: cannot unmarshal ${found} into Go value of type map[string]interface {}`);
  }
  return wrapIntegers(schema, mergeObject(schema, isObject(target) ? target : {}, patch));
}

function mergeObject(
  schema: Schema | undefined,
  target: Record<string, unknown>,
  patch: Record<string, unknown>,
): Record<string, unknown> {
  const { $patch: directive, [RETAIN_KEYS]: retained, ...fields } = patch;
  if (directive === 'replace') return fields;
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge')
    throw new StatusError(500, undefined, `unknown patch type: ${plainText(directive)} in map: ${plainText(patch)}`);

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
      if (isRaw(fieldSchema(schema, field))) requireMergeable(field, merged.get(field), value);
      const next = mergeValue(fieldSchema(schema, field), merged.get(field), value);
      if (next === undefined) merged.delete(field);
      else merged.set(field, next);
    }
  }
  for (const [field, order] of Object.entries(fields)) {
    if (!field.startsWith(SET_ORDER)) continue;
    const name = field.slice(SET_ORDER.length);
    const identityOf = identity(mergeKey(fieldSchema(schema, name)));
    const sent = requireSentOrder(order, fields[name], identityOf);
    const [list, before] = [merged.get(name), target[name]];
    if (!Array.isArray(list)) continue;
    merged.set(name, inElementOrder(list, { patch: sent, server: Array.isArray(before) ? before : [], identityOf }));
  }
  return Object.fromEntries(merged);
}

/** A value with nothing to merge it with: without its `null` fields, and without the parts that have a directive. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (value['$patch'] !== undefined) return undefined;
  const kept = Object.entries(value).filter(([, child]) => child !== null);
  const entries = kept.map(([field, child]) => [field, withoutDirectives(child)] as const);
  return Object.fromEntries(entries.filter(([, child]) => child !== undefined));
}

/** Go types that contain any JSON, by the fields that have them. */
const RAW_TYPES: Readonly<Record<string, string>> = { default: 'JSON', example: 'JSON', fieldsV1: 'FieldsV1' };

/**
 * Lists and maps below a value that can be any JSON cannot be merged.
 *
 * @throws {StatusError} 500
 */
function requireMergeable(raw: string, target: unknown, patch: unknown): void {
  if (!isObject(target) || !isObject(patch)) return;
  for (const [field, value] of Object.entries(patch)) {
    const before = target[field];
    const isMerged = Array.isArray(value) ? Array.isArray(before) : isObject(value) && isObject(before);
    if (!isMerged) continue;
    const type = RAW_TYPES[raw] ?? 'RawExtension';
    const why = `unable to find api field in struct ${type} for the json field ${JSON.stringify(field)}`;
    throw new StatusError(500, undefined, why);
  }
}

function mergeValue(schema: Schema | undefined, target: unknown, value: unknown): unknown {
  const isMerged = Array.isArray(value) ? Array.isArray(target) : isObject(value) && isObject(target);
  if (!isMerged) return withoutDirectives(value);
  if (isObject(value)) return mergeObject(schema, isObject(target) ? target : {}, value);
  const present = target as readonly unknown[];
  const items = value as readonly unknown[];
  const key = mergeKey(schema);
  if (key !== undefined) return mergeKeyedList({ key, items: schema?.items }, present, items);
  if (schema?.['x-kubernetes-list-type'] !== 'set') return items;
  const union = [...new Set([...present, ...items])];
  return inElementOrder(union, { patch: items, server: present, identityOf: identity(undefined) });
}

/** Reports whether a value can be any JSON. */
function isRaw(schema: Schema | undefined): boolean {
  return schema?.['x-kubernetes-preserve-unknown-fields'] === true && schema.properties === undefined;
}

function mergeKey(schema: Schema | undefined): string | undefined {
  return schema?.['x-kubernetes-list-map-keys']?.[0];
}

interface KeyedList {
  readonly key: string;
  readonly items: Schema | undefined;
}

function mergeKeyedList({ key, items }: KeyedList, target: readonly unknown[], patch: readonly unknown[]): unknown[] {
  const replaces = patch.some((item) => isObject(item) && item['$patch'] === 'replace');
  const merged: unknown[] = replaces ? [] : [...target];
  for (const item of patch) {
    if (!isObject(item)) throw badRequest('a patch of a list of objects contains an item that is not an object');
    if (item['$patch'] === 'replace') continue;
    if (item[key] === undefined)
      throw new StatusError(500, undefined, `map: ${plainText(item)} does not contain declared merge key: ${key}`);
    const index = merged.findIndex((present) => isObject(present) && isDeepStrictEqual(present[key], item[key]));
    if (item['$patch'] === 'delete') {
      if (index >= 0) merged.splice(index, 1);
    } else {
      const before = merged[index];
      const after = mergeObject(items, isObject(before) ? before : {}, item);
      if (index >= 0) merged[index] = after;
      else merged.push(after);
    }
  }
  return replaces ? merged : inElementOrder(merged, { patch, server: target, identityOf: identity(key) });
}

function without(list: readonly unknown[], values: readonly unknown[]): unknown[] {
  return list.filter((item) => !values.some((value) => isDeepStrictEqual(item, value)));
}

/** Returns what identifies an item of a list: the value of its merge key, or the item itself. */
function identity(key: string | undefined): (item: unknown) => unknown {
  return (item) => (key !== undefined && isObject(item) ? item[key] : item);
}
