import { builtInTypeName } from '../schema/built-in-schema.ts';
import type { Schema } from '../schema/schema.ts';
import { fieldSchema } from '../schema/schema.ts';
import { setField } from '../schema/set-field.ts';
import { wrappingIntegers } from '../schema/wrap-integers.ts';
import { typeText } from '../apply/go-format.ts';
import { badRequest, StatusError } from '../status.ts';
import type { Paused } from '../turn.ts';
import { complete, Turn } from '../turn.ts';
import { inElementOrder, requireSentOrder } from './element-order.ts';
import { isObject } from './merge-patch.ts';
import {
  badRetainedKeys,
  failed,
  requireKeys,
  requireSameTypes,
  unknownDirective,
  withoutKey,
} from './patch-faults.ts';

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
  return complete(strategicMergePatching(target, sent, schema, new Turn()));
}

/** Like {@link strategicMergePatch}, with pauses. */
export function* strategicMergePatching(target: unknown, sent: unknown, schema: Schema, turn: Turn): Paused<unknown> {
  const patch = sent ?? {};
  if (!isObject(patch)) {
    const found = Array.isArray(patch) ? 'array' : typeof patch === 'boolean' ? 'bool' : typeof patch;
    throw badRequest(`json: cannot unmarshal ${found} into Go value of type map[string]interface {}`);
  }
  return yield* wrappingIntegers(schema, yield* mergeObject(schema, isObject(target) ? target : {}, patch, turn), turn);
}

function* mergeObject(
  schema: Schema | undefined,
  target: Record<string, unknown>,
  patch: Record<string, unknown>,
  turn: Turn,
): Paused<Record<string, unknown>> {
  const { $patch: directive, ...others } = patch;
  if (directive === 'replace') return others;
  if (directive === 'delete') return {};
  if (directive !== undefined) throw unknownDirective(directive, patch);
  const { [RETAIN_KEYS]: retained, ...fields } = others;

  const merged = new Map<string, unknown>();
  for (const field of Object.keys(target)) {
    if (turn.step()) yield* turn.pause();
    merged.set(field, target[field]);
  }
  if (retained !== undefined) {
    const names = retainedNames(retained, fields);
    for (const field of merged.keys()) if (!names.has(field)) merged.delete(field);
  }
  for (const field of Object.keys(fields)) {
    if (turn.step()) yield* turn.pause();
    if (field.startsWith(SET_ORDER)) continue;
    const value = fields[field];
    if (field.startsWith(DELETE_FROM)) {
      const name = field.slice(DELETE_FROM.length);
      const list = merged.get(name);
      if (!Array.isArray(list) || !Array.isArray(value)) continue;
      requireSameTypes(list, value);
      merged.set(name, without(list, value));
    } else if (value === null) {
      merged.delete(field);
    } else {
      if (isRaw(fieldSchema(schema, field))) requireMergeable(field, merged.get(field), value);
      const next = yield* mergeValue(fieldSchema(schema, field), merged.get(field), value, turn);
      if (next === undefined) merged.delete(field);
      else merged.set(field, next);
    }
  }
  for (const field of Object.keys(fields)) {
    if (turn.step()) yield* turn.pause();
    if (!field.startsWith(SET_ORDER)) continue;
    const order = fields[field];
    const name = field.slice(SET_ORDER.length);
    const key = mergeKey(requireListField(schema, name));
    const identityOf = identity(key);
    const sent = requireSentOrder(order, fields[name], identityOf);
    const [list, before] = [merged.get(name), target[name]];
    if (!Array.isArray(list)) continue;
    if (key !== undefined) requireKeys(sent, key);
    merged.set(name, inElementOrder(list, { patch: sent, server: Array.isArray(before) ? before : [], identityOf }));
  }
  const result: Record<string, unknown> = {};
  for (const [field, value] of merged) {
    if (turn.step()) yield* turn.pause();
    setField(result, field, value);
  }
  return result;
}

/** Returns the fields that a patch keeps. @throws {StatusError} 400 if it writes others. */
function retainedNames(retained: unknown, fields: Readonly<Record<string, unknown>>): ReadonlySet<unknown> {
  if (!Array.isArray(retained)) throw badRetainedKeys();
  const names = new Set<unknown>(retained);
  const written = Object.keys(fields).filter(
    (field) => fields[field] !== null && !field.startsWith(DELETE_FROM) && !field.startsWith(SET_ORDER),
  );
  if (!written.every((field) => names.has(field))) throw badRetainedKeys();
  return names;
}

/** Returns the schema of a list that a directive names. @throws {StatusError} 500 */
function requireListField(schema: Schema | undefined, name: string): Schema | undefined {
  const field = fieldSchema(schema, name);
  if (!field) {
    const type = (schema && builtInTypeName(schema)) ?? '';
    throw failed(`unable to find api field in struct ${type} for the json field ${JSON.stringify(name)}`);
  }
  if (field.items === undefined) throw failed('expected slice or array type, but got: struct');
  return field;
}

/** A value with nothing to merge it with: without its `null` fields, and without the parts that have a directive. */
function* withoutDirectives(value: unknown, turn: Turn): Paused<unknown> {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (turn.step()) yield* turn.pause();
      const kept = yield* withoutDirectives(item, turn);
      if (kept !== undefined) items.push(kept);
    }
    return items;
  }
  if (!isObject(value)) return value;
  if (value['$patch'] !== undefined) return undefined;
  const result: Record<string, unknown> = {};
  for (const field of Object.keys(value)) {
    if (turn.step()) yield* turn.pause();
    const kept = value[field] === null ? undefined : yield* withoutDirectives(value[field], turn);
    if (kept !== undefined) setField(result, field, kept);
  }
  return result;
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

function* mergeValue(schema: Schema | undefined, target: unknown, value: unknown, turn: Turn): Paused<unknown> {
  const isMerged = Array.isArray(value) ? Array.isArray(target) : isObject(value) && isObject(target);
  if (!isMerged) return yield* withoutDirectives(value, turn);
  if (isObject(value)) return yield* mergeObject(schema, isObject(target) ? target : {}, value, turn);
  const present = target as readonly unknown[];
  const items = value as readonly unknown[];
  const key = mergeKey(schema);
  if (key === undefined && schema?.['x-kubernetes-list-type'] !== 'set') return items;
  requireSameTypes(present, items);
  if (key !== undefined) return yield* mergeKeyedList({ key, items: schema?.items }, present, items, turn);
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

function* mergeKeyedList(
  { key, items }: KeyedList,
  target: readonly unknown[],
  patch: readonly unknown[],
  turn: Turn,
): Paused<unknown[]> {
  const { changes, deleted, replaces } = yield* directivesIn(patch, key, turn);
  // Items that replace a list are not merged, and keep their directives.
  if (replaces) {
    requireKeys(changes, key);
    return [...changes];
  }
  const merged = target.filter((item) => !isObject(item) || !deleted.has(textOf(item[key])));
  const places = placesOf(merged, key);
  for (const item of changes) {
    if (turn.step()) yield* turn.pause();
    if (!Object.hasOwn(item, key)) throw withoutKey(item, key);
    const text = textOf(item[key]);
    const index = places.get(text);
    const before = index === undefined ? undefined : merged[index];
    if (index !== undefined && isObject(before)) merged[index] = yield* mergeObject(items, before, item, turn);
    else places.set(text, merged.push(item) - 1);
  }
  return inElementOrder(merged, { patch, server: target, identityOf: identity(key) });
}

interface Directives {
  readonly changes: readonly Record<string, unknown>[];
  /** Texts of the keys of deleted items. */
  readonly deleted: ReadonlySet<string>;
  /** Whether the changes replace the list. */
  readonly replaces: boolean;
}

/** Returns the items of a patch of a list by their directives. @throws {StatusError} 500 */
function* directivesIn(patch: readonly unknown[], key: string, turn: Turn): Paused<Directives> {
  const changes: Record<string, unknown>[] = [];
  const deleted = new Set<string>();
  let replaces = false;
  for (const item of patch) {
    if (turn.step()) yield* turn.pause();
    if (!isObject(item)) throw failed(`expected a map[string]interface {}, but received a ${typeText(item)}`);
    const directive = item['$patch'];
    if (!Object.hasOwn(item, '$patch')) changes.push(item);
    else if (directive === 'replace') replaces = true;
    else if (directive === 'merge') throw failed('merging lists cannot yet be specified in the patch');
    else if (directive !== 'delete') throw unknownDirective(directive, item);
    else if (Object.hasOwn(item, key)) deleted.add(textOf(item[key]));
    else throw withoutKey(item, key);
  }
  return { changes, deleted, replaces };
}

/** Returns the first position of each key in a list. */
function placesOf(list: readonly unknown[], key: string): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const text = isObject(item) ? textOf(item[key]) : undefined;
    if (text !== undefined && !places.has(text)) places.set(text, index);
  }
  return places;
}

/** Returns a text that is the same for equal values. */
function textOf(value: unknown): string {
  return JSON.stringify([value]);
}

function without(list: readonly unknown[], values: readonly unknown[]): unknown[] {
  const texts = new Set(values.map(textOf));
  return list.filter((item) => !texts.has(textOf(item)));
}

/** Returns what identifies an item of a list: the value of its merge key, or the item itself. */
function identity(key: string | undefined): (item: unknown) => unknown {
  return (item) => (key !== undefined && isObject(item) ? item[key] : item);
}
