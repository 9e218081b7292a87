import { isDeepStrictEqual } from 'node:util';
import type { ObjectMeta } from '@mcr/client';
import { now } from '../resources/timestamp.ts';
import { builtInTypeName } from '../schema/built-in-schema.ts';
import type { Schema } from '../schema/schema.ts';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';
import { compare } from './compare.ts';
import type { FieldSet } from './field-set.ts';
import { difference, isEmpty, NOTHING, union } from './field-set.ts';

export type ManagedFieldsEntry = NonNullable<ObjectMeta['managedFields']>[number];

/** Identity of a field manager in `managedFields`. */
export interface FieldManager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** `''` for the object itself. */
  readonly subresource: string;
}

/** Metadata without owners: the identity of an object, and fields that only the server sets. */
const UNOWNED: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
]);

/** Returns the part of an object that can have owners. */
export function ownable({ apiVersion: _apiVersion, kind: _kind, metadata, ...rest }: JsonObject): JsonObject {
  const owned = Object.entries(metadata ?? {}).filter(([field]) => !UNOWNED.has(field));
  return { ...rest, metadata: Object.fromEntries(owned) };
}

export function fieldsOf(entry: ManagedFieldsEntry | undefined): FieldSet {
  return (entry?.fieldsV1 as FieldSet | undefined) ?? NOTHING;
}

export function isOf({ name, operation, apiVersion, subresource }: FieldManager, entry: ManagedFieldsEntry): boolean {
  return (
    entry.manager === name &&
    entry.operation === operation &&
    (entry.subresource ?? '') === subresource &&
    // An apply in another version belongs to the same manager.
    (operation === 'Apply' || entry.apiVersion === apiVersion)
  );
}

/**
 * Returns the entries after a manager came to own `fields`. Keeps the time of its entry if its fields are unchanged.
 */
export function withEntry(
  manager: FieldManager,
  fields: FieldSet,
  before: ManagedFieldsEntry | undefined,
  others: readonly ManagedFieldsEntry[],
): ManagedFieldsEntry[] {
  if (isEmpty(fields)) return [...others];
  if (before && isDeepStrictEqual(fieldsOf(before), fields)) return sorted([...others, before]);
  const { name, operation, apiVersion, subresource } = manager;
  const entry: ManagedFieldsEntry = {
    manager: name,
    operation,
    apiVersion,
    time: now(),
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...(subresource !== '' && { subresource }),
  };
  return sorted([...others, entry]);
}

/** Removes fields from the entries of other managers, because they were written or removed. */
export function withoutFields(
  entries: readonly ManagedFieldsEntry[],
  written: FieldSet,
  removed: FieldSet,
): ManagedFieldsEntry[] {
  return entries.flatMap((entry) => {
    const fields = fieldsOf(entry);
    const left = difference(difference(fields, written), removed);
    if (isDeepStrictEqual(left, fields)) return [entry];
    return isEmpty(left) ? [] : [{ ...entry, fieldsV1: left }];
  });
}

/**
 * Returns the owners of fields after a create, update or patch. The manager owns what it wrote; no manager owns what it
 * removed.
 *
 * @param live previous object; `undefined` for a create.
 * @param object new object. Its own entries replace the previous ones; `[{}]` removes all.
 */
export function trackUpdate(
  schema: Schema | undefined,
  manager: FieldManager,
  { live, object }: { readonly live: ApiObject | undefined; readonly object: ApiObject },
): ManagedFieldsEntry[] {
  const entries = entriesBefore(live, object);
  // An object whose entries were removed gets new ones only by an apply.
  if (live && entries.length === 0) return [];
  const { written, removed } = compare(schema, live ? ownable(live) : emptyObject(schema), ownable(object));
  if (isEmpty(written) && isEmpty(removed)) return entries;
  const mine = entries.find((entry) => isOf(manager, entry));
  const others = withoutFields(
    entries.filter((entry) => entry !== mine),
    written,
    removed,
  );
  return withEntry(manager, union(difference(fieldsOf(mine), removed), written), mine, others);
}

/** Structs that the Go types contain even if the object is empty. Filling them does not make a manager their owner. */
const ALWAYS_PRESENT: ReadonlySet<string> = new Set(['spec', 'status', 'template', 'strategy', 'names']);

/** Returns the object that a new object of a built-in kind is compared with. */
export function emptyObject(schema: Schema | undefined): JsonObject {
  return { ...(schema && emptyParts(schema)), metadata: {} };
}

function emptyParts({ properties = {} }: Schema): JsonObject {
  const parts = Object.entries(properties).filter(
    ([field, part]) => ALWAYS_PRESENT.has(field) && builtInTypeName(part) !== undefined,
  );
  return Object.fromEntries(parts.map(([field, part]) => [field, emptyParts(part)]));
}

function entriesBefore(live: ApiObject | undefined, { metadata }: ApiObject): ManagedFieldsEntry[] {
  const brought = metadata.managedFields ?? [];
  if (brought.length === 0) return live?.metadata.managedFields ?? [];
  return brought.filter((entry) => entry.manager !== undefined);
}

/** Sorts entries as upstream does: applies first, then by time and name. */
function sorted(entries: ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const key = ({ operation = '', time = '', manager = '' }: ManagedFieldsEntry): string =>
    `${operation} ${time} ${manager}`;
  return entries.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}
