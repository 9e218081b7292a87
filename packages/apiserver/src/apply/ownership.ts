import type { ApiObject } from '../storage/stored-object.ts';
import type { Paused, Turn } from '../turn.ts';
import type { Changes } from './compare.ts';
import { compare } from './compare.ts';
import type { FieldTypes, VersionedTypes } from './field-types.ts';
import type { FieldSet } from './field-set.ts';
import { difference, fieldsOf, intersection, isEmpty, MEMBER, NOTHING, without } from './field-set.ts';
import type { FieldManager, ManagedFieldsEntry, Owners, Ownership } from './managed-fields.ts';
import { joinErrors, typedErrors } from './typed-errors.ts';
import { entriesOf, ownersOf, resetsOwners, withLimit, withWrite } from './managed-fields.ts';

/** Metadata without owners: the identity of an object, and fields that only the server sets. */
const UNOWNED = fieldsOf({
  'f:apiVersion': MEMBER,
  'f:kind': MEMBER,
  'f:metadata': {
    isMember: true,
    children: fieldsOf({
      'f:name': MEMBER,
      'f:namespace': MEMBER,
      'f:creationTimestamp': MEMBER,
      'f:selfLink': MEMBER,
      'f:uid': MEMBER,
      'f:clusterName': MEMBER,
      'f:generation': MEMBER,
      'f:managedFields': MEMBER,
      'f:resourceVersion': MEMBER,
    }).children,
  },
});

/** Returns the part of a set that can have owners. */
export function ownable(fields: FieldSet, turn: Turn): Paused<FieldSet> {
  return difference(fields, UNOWNED, turn);
}

/** Two states of an object, both in the stored version. */
export interface Transition {
  /** `undefined` if the object does not exist. */
  readonly live: ApiObject | undefined;
  readonly object: ApiObject;
  /** The object as it was sent, with the parts that the write does not change. Default: {@link object}. */
  readonly sent?: ApiObject;
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
export function* takeFields(
  types: VersionedTypes,
  subresource: string,
  owners: Owners,
  { live, object }: Transition,
  { writer, turn }: { readonly writer?: string; readonly turn: Turn },
): Paused<Outcome> {
  const { own } = types;
  const changesIn = function* (version: FieldTypes): Paused<Changes> {
    const shown = function* (each: ApiObject, what: string): Paused<object> {
      return bare(yield* during(`failed to convert ${what}`, converted([own, version], own.fromStored(each), turn)));
    };
    const before = live ? yield* shown(live, 'old object') : version.empty;
    const { written, removed } = yield* compare(version.atom, before, yield* shown(object, 'new object'), turn);
    // A write of a custom resource itself ignores the status only in the version of the request.
    const everywhere = version === own || version.builtIn || subresource !== '';
    const ignored = everywhere ? version.ignored(subresource) : NOTHING;
    return { written: yield* without(written, ignored, turn), removed: yield* without(removed, ignored, turn) };
  };
  const ownChanges = yield* changesIn(own);
  const byVersion = new Map([[own.apiVersion, ownChanges]]);
  const left: Owners = new Map();
  const taken: Taken[] = [];
  for (const [key, owner] of owners) {
    if (key === writer) {
      left.set(key, owner);
      continue;
    }
    const version = types.at(owner.apiVersion);
    if (!version) continue;
    const changes = byVersion.get(owner.apiVersion) ?? (yield* changesIn(version));
    byVersion.set(owner.apiVersion, changes);
    const lost = yield* intersection(owner.fields, changes.written, turn);
    if (!isEmpty(lost)) taken.push({ owner, fields: lost });
    const fields = yield* difference(yield* difference(owner.fields, lost, turn), changes.removed, turn);
    if (!isEmpty(fields)) left.set(key, { ...owner, fields });
  }
  return { owners: left, taken, changes: ownChanges };
}

/**
 * An object cannot be compared in the version of one of its managers: it does not match the types of its own version, or
 * that version does not declare its fields.
 */
export class ConversionFault extends Error {
  override readonly name = 'ConversionFault';
}

/**
 * Converts an object between two versions. A custom object keeps the fields that the other version does not declare.
 * (Upstream: `versionConverter`.)
 *
 * @throws {ConversionFault} if it cannot be decoded, has fields that the other version does not declare, or repeats the keys
 *   of a list.
 */
export function* converted(
  [from, to]: readonly [from: FieldTypes, to: FieldTypes],
  object: ApiObject,
  turn: Turn,
): Paused<ApiObject> {
  if (from === to) return object;
  const shown = to.builtIn ? yield* decodedIn([from, to], object, turn) : { ...object, apiVersion: to.apiVersion };
  const errors = to.builtIn || to.isConverted ? yield* typedErrors(to.atom, bare(shown), turn) : [];
  if (errors.length > 0) throw new ConversionFault(joinErrors(errors));
  return shown;
}

/** Converts an object of a built-in kind, which a real server decodes into the Go type of its version before. */
function* decodedIn(
  [from, to]: readonly [from: FieldTypes, to: FieldTypes],
  object: ApiObject,
  turn: Turn,
): Paused<ApiObject> {
  const fault = yield* from.fault(object, turn);
  if (fault === undefined) return to.complete(to.fromStored(from.toStored(object)));
  const kind = `${from.apiVersion}, Kind=${object.kind}`;
  throw new ConversionFault(`unable to convert unstructured object to ${kind}: ${fault}`);
}

/** Names the step in which a conversion fails. */
export function* during<T>(step: string, conversion: Paused<T>): Paused<T> {
  try {
    return yield* conversion;
  } catch (error) {
    throw error instanceof ConversionFault ? new ConversionFault(`${step}: ${error.message}`) : error;
  }
}

/**
 * Requires that the live object can be converted to the versions of all its managers. (Upstream:
 * `reconcileManagedFieldsWithSchemaChanges`.)
 *
 * @throws {ConversionFault}
 */
export function* requireConvertible(types: VersionedTypes, owners: Owners, live: ApiObject, turn: Turn): Paused<void> {
  const { own } = types;
  for (const apiVersion of new Set([...owners.values()].map((owner) => owner.apiVersion))) {
    const version = types.at(apiVersion);
    if (version && version !== own) yield* converted([own, version], own.fromStored(live), turn);
  }
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
export function* trackUpdate(
  types: VersionedTypes,
  manager: FieldManager,
  transition: Transition,
  turn: Turn,
): Paused<ManagedFieldsEntry[]> {
  const owners = yield* ownersBefore(manager, transition, turn);
  if (!types.own.builtIn) {
    // A real server removes all entries of an object that does not match the types of its fields.
    for (const object of [transition.live, transition.sent ?? transition.object])
      if (object && (yield* liveErrors(types.own, object, turn)).length > 0) return [];
  }
  // An object whose entries were removed gets new ones only by an apply.
  if (owners.size === 0 && transition.live?.metadata.uid) return [];
  try {
    return yield* entriesOf(yield* updateOwners(types, manager, owners, transition, turn), turn);
  } catch (error) {
    // A real server removes all entries that it cannot update.
    if (error instanceof ConversionFault) return [];
    throw error;
  }
}

/** Returns why an object in the stored version does not match the types of a version. It may repeat items of sets. */
export function* liveErrors(own: FieldTypes, object: ApiObject, turn: Turn): Paused<readonly string[]> {
  const errors = yield* typedErrors(own.atom, bare(own.fromStored(object)), turn);
  return errors.filter((error) => !error.includes('duplicate entries for key'));
}

/** Returns the owners after an update by `manager`. (Upstream: `merge.Updater.Update`.) */
export function* updateOwners(
  types: VersionedTypes,
  manager: FieldManager,
  owners: Owners,
  transition: Transition,
  turn: Turn,
): Paused<Owners> {
  if (transition.live) yield* requireConvertible(types, owners, transition.live, turn);
  const outcome = yield* takeFields(types, manager.subresource, owners, transition, { turn });
  const written = yield* ownable(outcome.changes.written, turn);
  return yield* withLimit(yield* withWrite(outcome.owners, manager, written, turn), turn);
}

function* ownersBefore({ subresource }: FieldManager, { live, object }: Transition, turn: Turn): Paused<Owners> {
  const sent = object.metadata.managedFields;
  if (subresource === '') {
    if (sent !== undefined && resetsOwners(sent)) return new Map();
    const owners = yield* ownersOf(sent, turn);
    if (owners && owners.size > 0) return owners;
  }
  return (yield* ownersOf(live?.metadata.managedFields, turn)) ?? new Map<string, Ownership>();
}
