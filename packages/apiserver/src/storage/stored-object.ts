import type { ObjectMeta, OwnerReference } from '@mcr/client';
import { LONG_JSON, readLongJson } from '../schema/long-json.ts';
import type { Paused, Turn } from '../turn.ts';
import { serializedInTurns } from './serialized.ts';

/** An object in transit: plain JSON with metadata. */
export interface JsonObject {
  [field: string]: unknown;
}

export interface ApiObject extends JsonObject {
  kind: string;
  apiVersion: string;
  metadata: ObjectMeta;
}

/**
 * One version of an object in the store: its serialized bytes, and the fields that selectors and garbage collection
 * need, so that neither has to parse.
 */
export interface StoredObject {
  readonly resource: string;
  /** `<namespace>/<name>`, or `<name>` for a cluster-scoped object. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly version: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Values of the resource's field selectors, except `metadata.name` and `metadata.namespace`. */
  readonly fields: Readonly<Record<string, string>>;
  readonly owners: readonly OwnerReference[];
  readonly terminating: boolean;
  /** JSON of the object. It starts with `kind`, `apiVersion` and `metadata`, in this order. */
  readonly json: Buffer;
}

const NONE: Readonly<Record<string, string>> = Object.freeze({});
const NO_OWNERS: readonly OwnerReference[] = Object.freeze([]);

export function objectKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/**
 * Serializes `object` as the version in its `metadata.resourceVersion`.
 *
 * @param json the object as bytes, if it was serialized before.
 */
export function storeObject(
  resource: string,
  object: ApiObject,
  fields: Readonly<Record<string, string>> = NONE,
  json = serialize(object),
): StoredObject {
  const { metadata } = object;
  const namespace = metadata.namespace ?? '';
  return {
    resource,
    key: objectKey(namespace, metadata.name),
    namespace,
    name: metadata.name,
    uid: metadata.uid,
    version: Number(metadata.resourceVersion),
    labels: metadata.labels ?? NONE,
    fields,
    owners: metadata.ownerReferences ?? NO_OWNERS,
    terminating: metadata.deletionTimestamp !== undefined,
    json,
  };
}

/** Returns a new copy of a stored object. */
export function parseStored(stored: StoredObject): ApiObject {
  return JSON.parse(stored.json.toString()) as ApiObject;
}

/** Like {@link parseStored}, with pauses if the object is large. */
export function* parsedInTurns(stored: StoredObject, turn: Turn): Paused<ApiObject> {
  if (stored.json.length < LONG_JSON) return parseStored(stored);
  const read = yield* readLongJson(stored.json.toString(), turn);
  // Stored objects are valid, except those that are deeper than a body may be.
  return read ? (read.value as ApiObject) : parseStored(stored);
}

export function serialize(object: ApiObject): Buffer {
  return Buffer.from(JSON.stringify(ordered(object)));
}

/** Like {@link serialize}, with pauses. */
export function serializedObject(object: ApiObject, turn: Turn): Paused<Buffer> {
  return serializedInTurns(ordered(object), turn);
}

function ordered({ kind, apiVersion, metadata, ...rest }: ApiObject): object {
  return { kind, apiVersion, metadata, ...rest };
}
