import { isDeepStrictEqual } from 'node:util';
import { DecodeError } from '../decode-error.ts';
import { now } from '../resources/timestamp.ts';
import { applyConflict, StatusError, typedLiveError, typedPatchError } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
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
import { ConversionFault, liveErrors, ownable, requireTyped, takeFields, updateOwners } from './ownership.ts';
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
export function applyConfiguration(application: Application): Applied {
  try {
    return applied(application);
  } catch (error) {
    throw error instanceof ConversionFault ? new StatusError(500, undefined, error.message) : error;
  }
}

function applied({ types, manager, live, config, force }: Application): Applied {
  const { own } = types;
  refuseManagedFields(config);
  const errors = typedErrors(own.atom, config);
  if (errors.length > 0) throw typedPatchError(config, joinErrors(errors));

  const liveFaults = live && !own.builtIn ? liveErrors(own, live) : [];
  if (live && liveFaults.length > 0) throw typedLiveError(own.fromStored(live), joinErrors(liveFaults));
  const owners = ownersBefore(types, manager.subresource, live);
  const before = own.fromStored(live ? bare(live) : newObject(config));
  const key = managerKey(manager);
  const last = owners.get(key);
  const claimed = without(claimedFields(own.atom, config), own.ignored(manager.subresource));
  const next = new Map(owners).set(key, { ...manager, fields: claimed, time: last?.time });
  const merged = merge(own.atom, before, config) as ApiObject;
  const object = prune(types, merged, next, last);
  const transition = { live, object: own.toStored(object) };

  const outcome = takeFields(types, manager.subresource, next, transition, key);
  if (!force) refuseConflicts(manager, outcome.taken, () => allowedByLastApplied(own, live));
  const mine = ownable(claimed);
  const changed = !isDeepStrictEqual(object, before);
  const time = changed ? now() : last?.time;
  if (isEmpty(mine)) outcome.owners.delete(key);
  else outcome.owners.set(key, { ...manager, fields: mine, time });
  return {
    object: withLastApplied(manager, config, object),
    managedFields: entriesOf(outcome.owners),
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
function ownersBefore(types: VersionedTypes, subresource: string, live: ApiObject | undefined): Owners {
  const owners = ownersOf(live?.metadata.managedFields) ?? new Map<string, Ownership>();
  if (owners.size > 0 || !live) return owners;
  const unknownManager = {
    name: 'before-first-apply',
    operation: 'Update',
    apiVersion: types.own.apiVersion,
    subresource,
  } as const;
  return updateOwners(types, unknownManager, owners, { live: undefined, object: bare(live) });
}

/**
 * Removes what the manager applied before and does not apply now, unless another manager owns it, or it is part of
 * something that no manager applied. (Upstream: `merge.Updater.prune`.)
 */
function prune(types: VersionedTypes, merged: ApiObject, owners: Owners, last: Ownership | undefined): ApiObject {
  if (!last || isEmpty(last.fields)) return merged;
  const { own } = types;
  const version = types.at(last.apiVersion);
  if (!version) return merged;
  if (version !== own) requireMerged(version, own.toStored(merged));
  const inVersion = mergedIn(version, own, merged);
  const mine = withHolders(last.fields, version.atom);
  let pruned = remove(version.atom, inVersion, mine) as ApiObject;
  for (const [other, fields] of ownedByVersion(types, owners, version)) {
    pruned = addBackOwned(version, other, inVersion, pruned, fields);
  }
  const before = withHolders(claimedFields(version.atom, inVersion), version.atom);
  const left = withHolders(claimedFields(version.atom, pruned), version.atom);
  const dropped = intersection(difference(before, left), mine);
  return convert(remove(version.atom, inVersion, dropped) as ApiObject, version, own);
}

/** Converts a merged object to the last applied version. @throws {ConversionFault} if it cannot be decoded. */
function mergedIn(version: FieldTypes, own: FieldTypes, merged: ApiObject): ApiObject {
  try {
    return convert(merged, own, version);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const what = `unable to convert unstructured object to ${own.apiVersion}, Kind=${merged.kind}: ${error.why}`;
    throw new ConversionFault(
      `failed to prune fields: failed to convert merged object to last applied version: ${what}`,
    );
  }
}

function requireMerged(version: FieldTypes, merged: ApiObject): void {
  try {
    requireTyped(version, merged, 'merged');
  } catch (error) {
    throw error instanceof ConversionFault ? new ConversionFault(`failed to prune fields: ${error.message}`) : error;
  }
}

/** Returns the fields of all managers by version, those of `first` first. */
function ownedByVersion(types: VersionedTypes, owners: Owners, first: FieldTypes): Map<FieldTypes, FieldSet> {
  const owned = new Map<FieldTypes, FieldSet>([[first, NOTHING]]);
  for (const { apiVersion, fields } of owners.values()) {
    const version = types.at(apiVersion);
    if (version) owned.set(version, union(owned.get(version) ?? NOTHING, fields));
  }
  return owned;
}

/** Adds back the fields that a manager owns in `other`. */
function addBackOwned(
  version: FieldTypes,
  other: FieldTypes,
  merged: ApiObject,
  pruned: ApiObject,
  owned: FieldSet,
): ApiObject {
  const { atom } = other;
  const all = convert(merged, version, other);
  const kept = claimedFields(atom, convert(pruned, version, other));
  const wanted = union(withHolders(kept, atom), withHolders(owned, atom));
  const dropped = difference(withHolders(claimedFields(atom, all), atom), wanted);
  return convert(remove(atom, all, dropped) as ApiObject, other, version);
}

function convert(object: ApiObject, from: FieldTypes, to: FieldTypes): ApiObject {
  return from === to ? object : to.complete(to.fromStored(from.toStored(object)));
}

function refuseConflicts({ name }: FieldManager, taken: readonly Taken[], allowed: () => FieldSet | undefined): void {
  if (taken.length === 0) return;
  // kubectl takes over the fields that it applied on the client's side before.
  const known = name === 'kubectl' ? allowed() : undefined;
  // A real server orders managers by their identity.
  const sorted = taken.toSorted((a, b) => (managerKey(a.owner) < managerKey(b.owner) ? -1 : 1));
  const conflicts = sorted.flatMap(({ owner, fields }) =>
    pathsOf(known ? difference(fields, known) : fields).map((field) => ({ manager: managerText(owner), field })),
  );
  if (conflicts.length > 0) throw applyConflict(conflicts);
}

function managerText({ name, operation, apiVersion, subresource }: Ownership): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `${JSON.stringify(name)}${through}${using}`;
}
