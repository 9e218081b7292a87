import type { ApiObject } from '../storage/stored-object.ts';
import type { Changes } from './compare.ts';
import { compare } from './compare.ts';
import type { FieldTypes, VersionedTypes } from './field-types.ts';
import type { FieldSet } from './field-set.ts';
import { difference, intersection, isEmpty, MEMBER, NOTHING, without } from './field-set.ts';
import type { FieldManager, ManagedFieldsEntry, Owners, Ownership } from './managed-fields.ts';
import { joinErrors, typedErrors } from './typed-errors.ts';
import { entriesOf, ownersOf, resetsOwners, withLimit, withWrite } from './managed-fields.ts';

/** Metadata without owners: the identity of an object, and fields that only the server sets. */
const UNOWNED: FieldSet = {
  'f:apiVersion': MEMBER,
  'f:kind': MEMBER,
  'f:metadata': {
    '.': MEMBER,
    'f:name': MEMBER,
    'f:namespace': MEMBER,
    'f:creationTimestamp': MEMBER,
    'f:selfLink': MEMBER,
    'f:uid': MEMBER,
    'f:clusterName': MEMBER,
    'f:generation': MEMBER,
    'f:managedFields': MEMBER,
    'f:resourceVersion': MEMBER,
  },
};

/** Returns the part of a set that can have owners. */
export function ownable(fields: FieldSet): FieldSet {
  return difference(fields, UNOWNED);
}

/** Two states of an object, both in the stored version. */
export interface Transition {
  /** `undefined` if the object does not exist. */
  readonly live: ApiObject | undefined;
  readonly object: ApiObject;
}

/** Fields of other managers that a write changes. */
export interface Taken {
  readonly owner: Ownership;
  readonly fields: FieldSet;
}

/** The owners of an object after a write, before the writer is added to them. */
export interface Outcome {
  readonly owners: Owners;
  readonly taken: readonly Taken[];
  /** Changes in the version of the request. */
  readonly changes: Changes;
}

/**
 * Takes the fields that a write changes or removes from their owners, except from the manager with the key `writer`.
 * Managers in a version that is no longer served lose all fields. (Upstream: `merge.Updater.update`.)
 */
export function takeFields(
  types: VersionedTypes,
  subresource: string,
  owners: Owners,
  { live, object }: Transition,
  writer?: string,
): Outcome {
  const changesIn = (version: FieldTypes): Changes => {
    if (live && version !== types.own) requireTyped(version, live, 'old');
    if (version !== types.own) requireTyped(version, object, 'new');
    const before = live ? bare(version.fromStored(live)) : version.empty;
    const { written, removed } = compare(version.atom, before, bare(version.fromStored(object)));
    // A write of a custom resource itself ignores the status only in the version of the request.
    const everywhere = version === types.own || version.builtIn || subresource !== '';
    const ignored = everywhere ? version.ignored(subresource) : NOTHING;
    return { written: without(written, ignored), removed: without(removed, ignored) };
  };
  const own = changesIn(types.own);
  const byVersion = new Map([[types.own.apiVersion, own]]);
  const left: Owners = new Map();
  const taken: Taken[] = [];
  for (const [key, owner] of owners) {
    if (key === writer) {
      left.set(key, owner);
      continue;
    }
    const version = types.at(owner.apiVersion);
    if (!version) continue;
    const changes = byVersion.get(owner.apiVersion) ?? changesIn(version);
    byVersion.set(owner.apiVersion, changes);
    const lost = intersection(owner.fields, changes.written);
    if (!isEmpty(lost)) taken.push({ owner, fields: lost });
    const fields = difference(difference(owner.fields, lost), changes.removed);
    if (!isEmpty(fields)) left.set(key, { ...owner, fields });
  }
  return { owners: left, taken, changes: own };
}

/** An object cannot be compared in the version of one of its managers, because that version does not declare its fields. */
export class ConversionFault extends Error {
  override readonly name = 'ConversionFault';
}

/** @throws {ConversionFault} */
export function requireTyped(version: FieldTypes, object: ApiObject, what: 'old' | 'new' | 'merged'): void {
  if (version.builtIn || !version.isConverted) return;
  const errors = typedErrors(version.atom, bare(version.fromStored(object)));
  if (errors.length === 0) return;
  const target = what === 'merged' ? 'merged object to last applied version' : `${what} object`;
  throw new ConversionFault(`failed to convert ${target}: ${joinErrors(errors)}`);
}

/** An object without the entries of its managers, which are not compared. */
function bare(object: ApiObject): object {
  // A configuration may set the metadata to null.
  const { managedFields: _, ...metadata } = (object.metadata as ApiObject['metadata'] | null) ?? { name: '' };
  return { ...object, metadata };
}

/**
 * Returns the owners of fields after a create, update or patch. The manager owns what it wrote; no manager owns what it
 * removed.
 *
 * @param transition the object's own entries replace the previous ones; an empty entry removes all.
 */
export function trackUpdate(
  types: VersionedTypes,
  manager: FieldManager,
  transition: Transition,
): ManagedFieldsEntry[] {
  const owners = ownersBefore(manager, transition);
  if (!types.own.builtIn && [transition.live, transition.object].some((object) => isUntyped(types.own, object)))
    return [];
  // An object whose entries were removed gets new ones only by an apply.
  if (owners.size === 0 && transition.live?.metadata.uid) return [];
  try {
    return entriesOf(updateOwners(types, manager, owners, transition));
  } catch (error) {
    // A real server removes all entries that it cannot update.
    if (error instanceof ConversionFault) return [];
    throw error;
  }
}

/** Reports whether an object does not match the types of its fields: a real server then removes all entries. */
function isUntyped(own: FieldTypes, object: ApiObject | undefined): boolean {
  return object !== undefined && liveErrors(own, object).length > 0;
}

/** Returns why an object in the stored version does not match the types of a version. It may repeat items of sets. */
export function liveErrors(own: FieldTypes, object: ApiObject): readonly string[] {
  const errors = typedErrors(own.atom, bare(own.fromStored(object)));
  return errors.filter((error) => !error.includes('duplicate entries for key'));
}

/** Returns the owners after an update by `manager`. (Upstream: `merge.Updater.Update`.) */
export function updateOwners(
  types: VersionedTypes,
  manager: FieldManager,
  owners: Owners,
  transition: Transition,
): Owners {
  const outcome = takeFields(types, manager.subresource, owners, transition);
  return withLimit(withWrite(outcome.owners, manager, ownable(outcome.changes.written)));
}

function ownersBefore({ subresource }: FieldManager, { live, object }: Transition): Owners {
  const sent = object.metadata.managedFields;
  const before = (): Owners => ownersOf(live?.metadata.managedFields) ?? new Map<string, Ownership>();
  if (subresource !== '') return before();
  if (sent !== undefined && resetsOwners(sent)) return new Map();
  const owners = ownersOf(sent);
  return owners && owners.size > 0 ? owners : before();
}
