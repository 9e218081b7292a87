import type { Schema } from '../schema/schema.ts';
import { applyConflict } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { compare } from './compare.ts';
import { claimedFields } from './fields-of.ts';
import type { FieldSet } from './field-set.ts';
import { difference, intersection, isEmpty, MEMBER, pathsOf, union, withHolders } from './field-set.ts';
import type { FieldManager, ManagedFieldsEntry } from './managed-fields.ts';
import { emptyObject, fieldsOf, isOf, ownable, withEntry, withoutFields } from './managed-fields.ts';
import { merge, remove } from './merge.ts';

/** Every object has metadata, whether or not a manager owns it. */
const UNCLAIMED: FieldSet = { 'f:metadata': MEMBER };

export interface Application {
  readonly schema: Schema | undefined;
  readonly manager: FieldManager;
  /** The current object; an object without fields if it does not exist. */
  readonly live: ApiObject;
  /** The configuration of the manager: exactly the fields that it manages. */
  readonly config: ApiObject;
  /** Takes over fields of other managers. */
  readonly force: boolean;
}

/**
 * Server-side apply (KEP-555): merges `config` into `live`. Removes the fields that this manager applied before, does
 * not apply now, and no other manager owns. The result contains the new `managedFields`.
 *
 * @throws {StatusError} 409 if it would change fields of other managers and `force` is not set.
 */
export function applyConfiguration({ schema, manager, live, config, force }: Application): ApiObject {
  const entries = live.metadata.managedFields ?? ownedBefore(schema, live);
  const mine = entries.find((entry) => isOf(manager, entry));
  const others = entries.filter((entry) => entry !== mine);
  const claimed = difference(claimedFields(schema, ownable(config)), UNCLAIMED);
  const owned = others.map(fieldsOf).reduce(union, claimed);
  const abandoned = difference(fieldsOf(mine), withHolders(owned));
  const merged = remove(schema, merge(schema, live, config), abandoned) as ApiObject;

  const { written, removed } = compare(schema, ownable(live), ownable(merged));
  if (!force) refuseConflicts(others, written);
  const managedFields = withEntry(manager, claimed, mine, withoutFields(others, written, removed));
  const unchanged = isEmpty(written) && isEmpty(removed);
  const timed = unchanged
    ? managedFields.map((entry) => (isOf(manager, entry) ? timedAs(mine, entry) : entry))
    : managedFields;
  return { ...merged, metadata: { ...merged.metadata, managedFields: timed } };
}

/** If an object has no entries, an unknown manager owns all of its fields. */
function ownedBefore(schema: Schema | undefined, live: ApiObject): ManagedFieldsEntry[] {
  const unknownManager = {
    name: 'before-first-apply',
    operation: 'Update',
    apiVersion: live.apiVersion,
    subresource: '',
  } as const;
  const { written } = compare(schema, emptyObject(schema), ownable(live));
  return live.metadata.uid ? withEntry(unknownManager, written, undefined, []) : [];
}

/** Keeps the previous time if the manager's fields are unchanged. */
function timedAs(
  before: ManagedFieldsEntry | undefined,
  { time: _, ...entry }: ManagedFieldsEntry,
): ManagedFieldsEntry {
  return { ...entry, ...(before?.time !== undefined && { time: before.time }) };
}

function refuseConflicts(others: readonly ManagedFieldsEntry[], written: FieldSet): void {
  const conflicts = others.flatMap((entry) => {
    const fields = intersection(fieldsOf(entry), written);
    return isEmpty(fields) ? [] : pathsOf(fields).map((field) => ({ manager: managerText(entry), field }));
  });
  if (conflicts.length > 0) throw applyConflict(conflicts);
}

function managerText({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  const through = subresource ? ` with subresource ${JSON.stringify(subresource)}` : '';
  const using = operation === 'Update' ? ` using ${apiVersion ?? ''}` : '';
  return `${JSON.stringify(manager)}${through}${using}`;
}
