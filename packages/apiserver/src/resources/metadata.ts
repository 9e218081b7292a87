import { isDeepStrictEqual } from 'node:util';
import { DecodeError } from '../decode-error.ts';
import type { FieldError, StatusError } from '../status.ts';
import { badRequest, forbiddenField, invalidField, requiredField } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Paused, Turn } from '../turn.ts';
import { copyEmpty } from '../schema/empty-collections.ts';
import { firstFaultOf, goDecode, goDecoding } from '../schema/go-decode.ts';
import { commonMetadataErrors, compactMetadata } from './common-metadata.ts';
import { nameErrors } from './names.ts';
import type { Change, ResourceType } from './resource-type.ts';
import type { DecodedKind } from './metadata-types.ts';
import { requireMetadataTypes } from './metadata-types.ts';
import { builtInTypes } from './kind-table.ts';
import { internalPackage, isMachinery, isRegistered, registeredType } from './registered-kinds.ts';
import { apiVersionOf, valueAt } from './resource-type.ts';
import { standardFinalizerErrors } from './standard-finalizers.ts';

/**
 * Reads a request body as an object of `type`. Fields of the metadata that the server sets may be missing; the name is
 * `''` if there is none.
 *
 * @param deep whether the types of all fields of a built-in kind are checked.
 * @throws {StatusError} 400 if the body is not such an object.
 */
export function decodeObject(type: ResourceType, body: unknown, deep = false): ApiObject {
  const object = decodeShallow(type, body);
  return deep ? goDecode(type, object) : object;
}

/** Like {@link decodeObject}, with the types of all fields of a built-in kind, and with pauses. */
export function* decoding(type: ResourceType, body: unknown, turn: Turn): Paused<ApiObject> {
  const object = decodeShallow(type, body);
  return type.builtIn ? yield* goDecoding(type, object, turn) : object;
}

function decodeShallow(type: ResourceType, body: unknown): ApiObject {
  const object = (type.builtIn ? named(type, body) : body) as ApiObject;
  const apiVersion = apiVersionOf(type);
  if (type.builtIn && (object.apiVersion !== apiVersion || object.kind !== type.kind)) throw wrongKind(type, object);
  const metadata = object.metadata as ApiObject['metadata'] | null | undefined;
  try {
    requireMetadataTypes(sentIdentity(type, object), metadata);
  } catch (error) {
    throw (type.builtIn ? (firstFaultOf(type, object) ?? faultBeforeMetadata(type, object)) : undefined) ?? error;
  }
  if (object.apiVersion !== apiVersion) {
    const found = (object.apiVersion as string | undefined) ?? '';
    throw badRequest(`the API version in the data (${found}) does not match the expected API version (${apiVersion})`);
  }
  object.metadata = { name: '', ...compactMetadata(metadata ?? {}) };
  // An empty list removes the managers of built-in kinds only.
  if (!type.builtIn && object.metadata.managedFields?.length === 0) delete object.metadata.managedFields;
  return object;
}

/** Returns the error of a field that is before the metadata in the text of an object: Go reports the first one. */
function faultBeforeMetadata(type: ResourceType, object: ApiObject): DecodeError | undefined {
  const entries = Object.entries(object);
  const before = entries.slice(
    0,
    entries.findIndex(([field]) => field === 'metadata'),
  );
  try {
    goDecode(type, Object.fromEntries(before));
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
}

/** Names the kind and the version of a body, and the kind that it should have, in errors of the decoder. */
export function sentIdentity(type: ResourceType, body: unknown): DecodedKind {
  const { builtIn, kind: wanted } = type;
  const { kind, apiVersion } = (body ?? {}) as { readonly kind?: unknown; readonly apiVersion?: unknown };
  const { kind: _, version } = type;
  if (builtIn || typeof kind !== 'string' || typeof apiVersion !== 'string')
    return { builtIn, kind: wanted, version, wanted };
  return { builtIn, kind, version: apiVersion.split('/').at(-1) ?? '', wanted };
}

/** 400: a built-in kind of another version or name. (Upstream: the errors of `runtime.Scheme`.) */
function wrongKind(type: ResourceType, { apiVersion, kind }: ApiObject): StatusError {
  const version = apiVersion.split('/').at(-1) ?? '';
  const shown = apiVersion.startsWith('/') ? version : apiVersion;
  if (registeredType(builtInTypes, apiVersion, kind)?.storage === type.storage) {
    const expected = apiVersionOf(type);
    return badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  const why = isRegistered(builtInTypes, apiVersion, kind)
    ? `converting (${isMachinery(kind) ? 'v1' : version}.${kind}) to (${internalPackage(type.group)}.${type.kind}): unknown conversion`
    : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(shown)} in scheme "pkg/runtime/scheme.go:111"`;
  return new DecodeError({ kind, version }, why, type.kind);
}

/** Sets kind and version by the URL if the body has none. */
function named(type: ResourceType, body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const { kind, apiVersion } = body as { readonly kind?: string | null; readonly apiVersion?: string | null };
  const object = { ...body, kind: kind || type.kind, apiVersion: apiVersion || apiVersionOf(type) };
  copyEmpty(body, object);
  return object;
}

/** Returns the errors in the metadata of a new object. */
export function metadataErrors(type: ResourceType, { metadata }: ApiObject, subresource?: string): FieldError[] {
  const name = metadata.name
    ? nameErrors(type.nameRule, metadata.name).map((detail) =>
        invalidField('metadata.name', metadata.name, inUnitOf(type, detail)),
      )
    : [requiredField('metadata.name', 'name or generateName is required')];
  const base = metadata.generateName;
  const generated =
    base && !NEWER_NAMES.has(type.storage)
      ? nameErrors(type.nameRule, base.replace(/-$/, 'a')).map((detail) =>
          invalidField('metadata.generateName', base, detail),
        )
      : [];
  return [
    ...generated,
    ...name,
    ...commonMetadataErrors(metadata),
    ...standardFinalizerErrors(type, metadata.finalizers ?? [], subresource),
  ];
}

/** Kinds whose names upstream checks with newer functions, which count bytes and ignore `generateName`. */
const NEWER_NAMES: ReadonlySet<string> = new Set(['replicationcontrollers', 'deviceclasses.resource.k8s.io']);

function inUnitOf({ storage }: ResourceType, detail: string): string {
  return NEWER_NAMES.has(storage) ? detail.replace(/ characters$/u, ' bytes') : detail;
}

const IMMUTABLE = 'field is immutable';

/** Returns the errors in the metadata of an update, and in changes of immutable fields. */
export function updateErrors(type: ResourceType, { object, previous, subresource }: Change): FieldError[] {
  const found = metadataErrors(type, object, subresource);
  if (!previous) return found;
  // Updates of Services do not judge prefixes of names.
  const errors = found.filter(({ field }) => type.storage !== 'services' || field !== 'metadata.generateName');
  const before = previous.metadata;
  if (before.deletionTimestamp !== undefined) {
    const known = new Set(before.finalizers);
    const added = (object.metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
    if (added.length > 0) {
      const list = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
      errors.push(forbiddenField('metadata.finalizers', detail));
    }
  }
  for (const path of type.immutable) {
    const value = valueAt(object, path);
    if (!isDeepStrictEqual(value, valueAt(previous, path))) errors.push(invalidField(path, value, IMMUTABLE));
  }
  return errors;
}
