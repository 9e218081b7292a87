import type { ObjectMeta } from '@mcr/client';
import { now } from '../resources/timestamp.ts';
import type { Paused, Turn } from '../turn.ts';
import type { FieldSet, FieldsV1 } from './field-set.ts';
import { fromFieldsV1, isEmpty, NOTHING, toFieldsV1, union } from './field-set.ts';

export type ManagedFieldsEntry = NonNullable<ObjectMeta['managedFields']>[number];

/** Identity of a field manager in `managedFields`. */
export interface FieldManager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** `''` for the object itself. */
  readonly subresource: string;
}

/** A field manager, the fields that it owns, and the time of its last change. */
export interface Ownership extends FieldManager {
  readonly fields: FieldSet;
  readonly time: string | undefined;
}

/** The managers of an object by identity. (Upstream: `fieldpath.ManagedFields`.) */
export type Owners = Map<string, Ownership>;

/** Maximum number of managers that update an object. The oldest ones are merged. */
const UPDATER_LIMIT = 10;

/** Name of the manager that replaces the oldest ones. */
const ANCIENT = 'ancient-changes';

/** Returns the identity of a manager. An apply in another version belongs to the same manager. */
export function managerKey({ name, operation, apiVersion, subresource }: FieldManager): string {
  const version = operation === 'Apply' ? {} : { apiVersion };
  return JSON.stringify({ manager: name, operation, ...version, ...(subresource !== '' && { subresource }) });
}

/** Reads entries. Returns `undefined` if one of them is invalid. */
export function* ownersOf(entries: readonly ManagedFieldsEntry[] = [], turn: Turn): Paused<Owners | undefined> {
  const owners: Owners = new Map();
  for (const entry of entries) {
    const { manager = '', operation, apiVersion = '', fieldsType, time, subresource = '' } = entry;
    if (operation !== 'Apply' && operation !== 'Update') return undefined;
    if (apiVersion === '' || fieldsType !== 'FieldsV1') return undefined;
    const identity = { name: manager, operation, apiVersion, subresource } as const;
    const fields = yield* fromFieldsV1((entry.fieldsV1 as FieldsV1 | undefined) ?? {}, turn);
    owners.set(managerKey(identity), { ...identity, fields, time });
  }
  return owners;
}

/** Returns the entries of managers: applies first, then by time, name, version and subresource, as upstream. */
export function* entriesOf(owners: Owners, turn: Turn): Paused<ManagedFieldsEntry[]> {
  const entries: ManagedFieldsEntry[] = [];
  for (const { name, operation, apiVersion, subresource, fields, time } of [...owners.values()].sort(byTime)) {
    entries.push({
      ...(name !== '' && { manager: name }),
      operation,
      apiVersion,
      ...(time !== undefined && { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: yield* toFieldsV1(fields, turn),
      ...(subresource !== '' && { subresource }),
    });
  }
  return entries;
}

function byTime(a: Ownership, b: Ownership): number {
  const key = ({ operation, time = '', name, apiVersion, subresource }: Ownership): readonly string[] => [
    operation,
    time,
    name,
    apiVersion,
    subresource,
  ];
  const [left, right] = [key(a), key(b)];
  const index = left.findIndex((text, position) => text !== right[position]);
  return index < 0 ? 0 : (left[index] ?? '') < (right[index] ?? '') ? -1 : 1;
}

/** Returns whether a write that sends these entries removes all of them: an empty list, or one empty entry. */
export function resetsOwners(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (entries === undefined || entries.length > 1) return false;
  return entries[0] === undefined || Object.keys(entries[0]).length === 0;
}

/** Returns the owners after a manager wrote `fields` now. It keeps the fields that it owned before. */
export function* withWrite(owners: Owners, manager: FieldManager, fields: FieldSet, turn: Turn): Paused<Owners> {
  if (isEmpty(fields)) return owners;
  const key = managerKey(manager);
  const before = owners.get(key);
  const all = yield* union(fields, before?.fields ?? NOTHING, turn);
  return new Map(owners).set(key, { ...manager, fields: all, time: now() });
}

/** Merges the oldest managers that updated the object, if there are too many. (Upstream: `capManagersManager`.) */
export function* withLimit(owners: Owners, turn: Turn): Paused<Owners> {
  const updaters = [...owners.entries()].filter(([, { operation }]) => operation === 'Update').sort(byAge);
  let count = updaters.length;
  if (count <= UPDATER_LIMIT) return owners;
  const result = new Map(owners);
  const firstOf = new Map<string, string>();
  for (const [key, { apiVersion, fields, time }] of updaters) {
    if (count <= UPDATER_LIMIT) break;
    const first = firstOf.get(apiVersion);
    if (first === undefined) {
      firstOf.set(apiVersion, key);
      continue;
    }
    const bucket = { name: ANCIENT, operation: 'Update', apiVersion, subresource: '' } as const;
    const bucketKey = managerKey(bucket);
    const collected = result.get(bucketKey) ?? result.get(first);
    if (!result.has(bucketKey)) result.delete(first);
    const all = yield* union(fields, collected?.fields ?? NOTHING, turn);
    result.set(bucketKey, { ...bucket, fields: all, time });
    if (key !== bucketKey) result.delete(key);
    count -= 1;
  }
  return result;
}

function byAge([a, { time: one = '' }]: [string, Ownership], [b, { time: other = '' }]: [string, Ownership]): number {
  if (one !== other) return one < other ? -1 : 1;
  return a < b ? -1 : 1;
}
