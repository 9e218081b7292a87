import { now } from '../resources/timestamp.ts';
import { applyConflict, StatusError, typedLiveError, typedPatchError, unownedLiveError } from '../status.ts';
import { areEqual } from '../schema/equal-json.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Paused, Turn } from '../turn.ts';
import { claimedFields } from './fields-of.ts';
import type { FieldTypes, VersionedTypes } from './field-types.ts';
import type { FieldSet } from './field-set.ts';
import { difference, intersection, isEmpty, NOTHING, pathsOf, union, without, withHolders } from './field-set.ts';
import type { Configuration } from './configuration.ts';
import { refuseManagedFields } from './configuration.ts';
import { allowedByLastApplied, withLastApplied } from './last-applied.ts';
import type { FieldManager, ManagedFieldsEntry, Owners, Ownership } from './managed-fields.ts';
import { entriesOf, managerKey, ownersOf } from './managed-fields.ts';
import { merge, remove } from './merge.ts';
import type { Taken } from './ownership.ts';
import {
  ConversionFault,
  converted,
  during,
  liveErrors,
  ownable,
  requireConvertible,
  takeFields,
  updateOwners,
} from './ownership.ts';
import { joinErrors, typedErrors } from './typed-errors.ts';

export interface Application {
  readonly types: VersionedTypes;
  readonly manager: FieldManager;
  /** The current object in the stored version; `undefined` if it does not exist. */
  readonly live: ApiObject | undefined;
  /** The configuration of the manager, in the version of the request: exactly the fields that it manages. */
  readonly config: Configuration;
  /** Takes over fields of other managers. */
  readonly force: boolean;
  readonly turn: Turn;
}

export interface Applied {
  /** The new object in the version of the request, without `managedFields`. */
  readonly object: ApiObject;
  readonly managedFields: readonly ManagedFieldsEntry[];
  /** Whether the object differs from the live one, apart from `managedFields`. */
  readonly changed: boolean;
}

/**
 * Server-side apply (KEP-555): merges `config` into `live`. Removes the fields that this manager applied before, does
 * not apply now, and no other manager owns. (Upstream: `merge.Updater.Apply` and the managers around it in
 * `k8s.io/apimachinery/pkg/util/managedfields`.)
 *
 * @throws {StatusError} 500 if the configuration does not match the schema, 409 if it would change fields of other
 *   managers and `force` is not set.
 */
export function* applyConfiguration(application: Application): Paused<Applied> {
  try {
    return yield* applied(application);
  } catch (error) {
    throw error instanceof ConversionFault ? new StatusError(500, undefined, error.message) : error;
  }
}

function* applied({ types, manager, live, config, force, turn }: Application): Paused<Applied> {
  const { own } = types;
  refuseManagedFields(config);
  const liveFaults = live && !own.builtIn ? yield* liveErrors(own, live, turn) : [];
  // The fields of an object without managers get one before the configuration is read.
  if (live && liveFaults.length > 0 && !(yield* ownersOf(live.metadata.managedFields, turn))?.size) {
    throw unownedLiveError(own.fromStored(live), joinErrors(liveFaults));
  }
  const errors = yield* typedErrors(own.atom, config, turn);
  if (errors.length > 0) throw typedPatchError(config, joinErrors(errors));
  if (live && liveFaults.length > 0) throw typedLiveError(own.fromStored(live), joinErrors(liveFaults));
  const owners = yield* ownersBefore(types, manager.subresource, live, turn);
  if (live) yield* requireConvertible(types, owners, live, turn);
  const before = own.fromStored(live ? bare(live) : newObject(config));
  const key = managerKey(manager);
  const last = owners.get(key);
  const all = yield* claimedFields(own.atom, config, turn);
  const claimed = yield* without(all, own.ignored(manager.subresource), turn);
  const next = new Map(owners).set(key, { ...manager, fields: claimed, time: last?.time });
  const merged = (yield* merge(own.atom, before, config, turn)) as ApiObject;
  const object = yield* during('failed to prune fields', prune(types, merged, next, last, turn));
  const transition = { live, object: own.toStored(object) };

  const outcome = yield* takeFields(types, manager.subresource, next, transition, { writer: key, turn });
  if (!force && outcome.taken.length > 0) {
    // kubectl takes over the fields that it applied on the client's side before.
    const known = manager.name === 'kubectl' ? yield* allowedByLastApplied(own, live, turn) : undefined;
    yield* refuseConflicts(outcome.taken, known, turn);
  }
  const mine = yield* ownable(claimed, turn);
  const changed = !(yield* areEqual(object, before, turn));
  const time = changed ? now() : last?.time;
  if (isEmpty(mine)) outcome.owners.delete(key);
  else outcome.owners.set(key, { ...manager, fields: mine, time });
  return {
    object: withLastApplied(manager, config, object),
    managedFields: yield* entriesOf(outcome.owners, turn),
    changed,
  };
}

function newObject({ apiVersion, kind }: Configuration): ApiObject {
  // Every object has metadata; the configuration supplies the name.
  return { apiVersion, kind, metadata: {} } as unknown as ApiObject;
}

function bare(object: ApiObject): ApiObject {
  // A configuration may set the metadata to null.
  const { managedFields: _, ...metadata } = (object.metadata as Partial<ApiObject['metadata']> | null) ?? {};
  // A configuration may have no more than this.
  return { ...object, metadata: metadata as ApiObject['metadata'] };
}

/** If an object has no entries, an unknown manager owns all of its fields. */
function* ownersBefore(
  types: VersionedTypes,
  subresource: string,
  live: ApiObject | undefined,
  turn: Turn,
): Paused<Owners> {
  const owners = (yield* ownersOf(live?.metadata.managedFields, turn)) ?? new Map<string, Ownership>();
  if (owners.size > 0 || !live) return owners;
  const unknownManager = {
    name: 'before-first-apply',
    operation: 'Update',
    apiVersion: types.own.apiVersion,
    subresource,
  } as const;
  return yield* updateOwners(types, unknownManager, owners, { live: undefined, object: bare(live) }, turn);
}

/**
 * Removes what the manager applied before and does not apply now, unless another manager owns it, or it is part of
 * something that no manager applied. (Upstream: `merge.Updater.prune`.)
 */
function* prune(
  types: VersionedTypes,
  merged: ApiObject,
  owners: Owners,
  last: Ownership | undefined,
  turn: Turn,
): Paused<ApiObject> {
  if (!last || isEmpty(last.fields)) return merged;
  const { own } = types;
  const version = types.at(last.apiVersion);
  if (!version) return merged;
  const toLast = 'failed to convert merged object to last applied version';
  const inVersion = yield* during(toLast, converted([own, version], merged, turn));
  const mine = yield* withHolders(last.fields, version.atom, turn);
  let pruned = (yield* remove(version.atom, inVersion, mine, turn)) as ApiObject;
  for (const [other, fields] of yield* ownedByVersion(types, owners, version, turn)) {
    const added = addBackOwned(version, other, [inVersion, pruned], fields, turn);
    pruned = yield* during('failed add back owned items', added);
  }
  const before = yield* heldFields(version, inVersion, turn);
  const kept = yield* heldFields(version, pruned, turn);
  const dropped = yield* intersection(yield* difference(before, kept, turn), mine, turn);
  const left = (yield* remove(version.atom, inVersion, dropped, turn)) as ApiObject;
  return yield* converted([version, own], left, turn);
}

/** Returns the fields of an object, and those that contain them. */
function* heldFields({ atom }: FieldTypes, object: ApiObject, turn: Turn): Paused<FieldSet> {
  return yield* withHolders(yield* claimedFields(atom, object, turn), atom, turn);
}

/** Returns the fields of all managers by version, those of `first` first. */
function* ownedByVersion(
  types: VersionedTypes,
  owners: Owners,
  first: FieldTypes,
  turn: Turn,
): Paused<Map<FieldTypes, FieldSet>> {
  const owned = new Map<FieldTypes, FieldSet>([[first, NOTHING]]);
  for (const { apiVersion, fields } of owners.values()) {
    const version = types.at(apiVersion);
    if (version) owned.set(version, yield* union(owned.get(version) ?? NOTHING, fields, turn));
  }
  return owned;
}

/** Adds back the fields that a manager owns in `other`. */
function* addBackOwned(
  version: FieldTypes,
  other: FieldTypes,
  [merged, pruned]: readonly [merged: ApiObject, pruned: ApiObject],
  owned: FieldSet,
  turn: Turn,
): Paused<ApiObject> {
  const { atom } = other;
  const convert = (object: ApiObject, what: string): Paused<ApiObject> =>
    during(`failed to convert ${what} at version ${other.apiVersion}`, converted([version, other], object, turn));
  const all = yield* convert(merged, 'merged object');
  const kept = yield* heldFields(other, yield* convert(pruned, 'pruned object'), turn);
  const wanted = yield* union(kept, yield* withHolders(owned, atom, turn), turn);
  const dropped = yield* difference(yield* heldFields(other, all, turn), wanted, turn);
  const left = (yield* remove(atom, all, dropped, turn)) as ApiObject;
  return yield* converted([other, version], left, turn);
}

/** @param known fields that the manager may take over. */
function* refuseConflicts(taken: readonly Taken[], known: FieldSet | undefined, turn: Turn): Paused<void> {
  // A real server orders managers by their identity.
  const sorted = taken.toSorted((a, b) => (managerKey(a.owner) < managerKey(b.owner) ? -1 : 1));
  const conflicts: { manager: string; field: string }[] = [];
  for (const { owner, fields } of sorted) {
    const paths = yield* pathsOf(known ? yield* difference(fields, known, turn) : fields, turn);
    const manager = managerText(owner);
    for (const field of paths) conflicts.push({ manager, field });
  }
  if (conflicts.length > 0) throw applyConflict(conflicts);
}

function managerText({ name, operation, apiVersion, subresource }: Ownership): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `${JSON.stringify(name)}${through}${using}`;
}
