import type { ResourceType } from '../resources/resource-type.ts';
import { store } from '../resources/resource-type.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { parseStored, storeObject } from '../storage/stored-object.ts';
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

/** Reports whether a write that changes nothing stores an object again. */
export function isIncomplete(object: StoredObject): boolean {
  return incomplete.has(object);
}

/** Serializes an object that {@link inStoredVersion} returned. */
export function storeSettled(type: ResourceType, saved: ApiObject): StoredObject {
  const stored = store(type, saved);
  if (incomplete.has(saved)) incomplete.add(stored);
  return stored;
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
