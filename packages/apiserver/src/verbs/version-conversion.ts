import { randomUUID } from 'node:crypto';
import type { ResourceType } from '../resources/resource-type.ts';
import { store } from '../resources/resource-type.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { parseStored, serializedObject, storeObject } from '../storage/stored-object.ts';
import type { Paused, Turn } from '../turn.ts';
import type { Steps } from './steps.ts';
import { wait } from './steps.ts';

/** Reports whether a stored object is in the version of `type`, or needs no webhook to be shown in it. */
export function isInVersion({ conversion }: ResourceType, { json }: StoredObject): boolean {
  return !conversion || conversion.isCurrent(json);
}

/**
 * Returns stored objects in the version of `type`. Waits only for a webhook that converts them.
 *
 * @throws {StatusError} 500 if the webhook fails.
 */
export function inVersion(
  type: ResourceType,
  objects: readonly StoredObject[],
): readonly StoredObject[] | Promise<readonly StoredObject[]> {
  if (objects.every((object) => isInVersion(type, object))) return objects;
  return convertAll(type, objects, { cached: true });
}

/** Like {@link inVersion}, for one object that is read from the storage. */
export async function inVersionNow(type: ResourceType, object: StoredObject): Promise<StoredObject> {
  const [converted = object] = await convertAll(type, [object], { cached: false });
  return converted;
}

/** Returns a stored object in the version of `type`, for a write. */
export function* loaded(type: ResourceType, object: StoredObject): Steps<StoredObject> {
  if (isInVersion(type, object)) return object;
  return yield* wait(inVersionNow(type, object));
}

/**
 * Returns a stored object as a write through the version of `type` reads it: without the fields that a version of a custom
 * kind does not declare. The write drops them from the storage.
 */
export function withDeclaredFields({ builtIn, view }: ResourceType, object: ApiObject): ApiObject {
  return builtIn || !view ? object : view.toStored(view.fromStored(object));
}

/** Returns an object in the version in which it is stored, with the defaults of that version. */
export function* inStoredVersion({ conversion, settle }: ResourceType, object: ApiObject): Steps<ApiObject> {
  const saved = !conversion || conversion.isIdentity ? object : yield* wait(conversion.toStored(object));
  if (settle?.(saved)) incomplete.add(saved);
  return saved;
}

/**
 * Objects to which a real server adds defaults whenever it reads them, until a write stores these. A restart of the
 * server forgets which these are.
 */
const incomplete = new WeakSet<ApiObject | StoredObject>();

/** Reports whether a write that changes nothing stores an object again: in another version, or with its defaults. */
export function isOutdated({ conversion }: ResourceType, object: StoredObject): boolean {
  return incomplete.has(object) || conversion?.isStored(object.json) === false;
}

/** An object that a write can store at once. */
export interface Prepared {
  /** Returns the object in the version that it has, for a dry run. */
  readonly unversioned: () => StoredObject;
  /** Returns the object in a version. */
  readonly at: (version: number) => StoredObject;
}

/** Prepares an object that {@link inStoredVersion} returned. One whose write takes long is serialized here, with pauses. */
export function* preparedForStore(type: ResourceType, saved: ApiObject, turn: Turn): Paused<Prepared> {
  return inVersions(type, saved, turn.hasPaused ? yield* serializedInAnyVersion(saved, turn) : undefined);
}

/** Prepares an object without serializing it. @param bytes the object as bytes, if it was serialized before. */
export function inVersions(type: ResourceType, saved: ApiObject, bytes?: SplitBytes): Prepared {
  return {
    unversioned: () => store(type, saved),
    at(version) {
      const text = String(version);
      saved.metadata.resourceVersion = text;
      const stored = store(type, saved, bytes && Buffer.concat([bytes.head, Buffer.from(text), bytes.tail]));
      if (incomplete.has(saved)) incomplete.add(stored);
      return stored;
    },
  };
}

/** The bytes of an object before and after its version. */
export interface SplitBytes {
  readonly head: Buffer;
  readonly tail: Buffer;
}

function* serializedInAnyVersion(saved: ApiObject, turn: Turn): Paused<SplitBytes> {
  // No object contains this text.
  const mark = randomUUID();
  const bytes = yield* serializedObject({ ...saved, metadata: { ...saved.metadata, resourceVersion: mark } }, turn);
  const at = bytes.indexOf(mark);
  return { head: bytes.subarray(0, at), tail: bytes.subarray(at + mark.length) };
}

async function convertAll(
  { conversion }: ResourceType,
  objects: readonly StoredObject[],
  { cached }: { readonly cached: boolean },
): Promise<readonly StoredObject[]> {
  if (!conversion) return objects;
  const { cache } = conversion;
  const known = (object: StoredObject): StoredObject | undefined =>
    conversion.isCurrent(object.json) ? object : cached ? cache.get(object) : undefined;
  const unknown = objects.filter((object) => !known(object));
  const converted = await conversion.fromStored(unknown.map(parseStored));
  const fresh = new Map<StoredObject, StoredObject>();
  unknown.forEach((object, index) => {
    const result = converted[index];
    if (!result) return;
    const stored = storeObject(object.resource, result, object.fields);
    fresh.set(object, stored);
    cache.set(object, stored);
  });
  return objects.map((object) => fresh.get(object) ?? known(object) ?? object);
}

/** Returns a type with which the server writes the metadata of a stored object without converting it. */
export function unconverted(type: ResourceType, { json }: StoredObject): ResourceType {
  if (!type.conversion || type.conversion.isStored(json)) return type;
  const { apiVersion } = JSON.parse(json.toString()) as ApiObject;
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  return { ...type, version, conversion: undefined, prepare: undefined, validate: undefined };
}
