import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { FieldError, StatusError } from '../status.ts';
import { badRequest, forbiddenField, invalid, invalidField, requiredField } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { annotationFieldErrors, finalizerFieldErrors, labelFieldErrors, nameErrors } from './names.ts';
import type { Change, ResourceType } from './resource-type.ts';
import { apiVersionOf, valueAt } from './resource-type.ts';

const text = z.string();
const texts = z.record(text, text);

/** Fields whose types a decoder of the real server checks. Other fields pass through. */
const draft = z.looseObject({
  kind: text,
  apiVersion: text,
  metadata: z
    .looseObject({
      name: text.optional(),
      generateName: text.optional(),
      namespace: text.optional(),
      uid: text.optional(),
      resourceVersion: text.optional(),
      labels: texts.nullish(),
      annotations: texts.nullish(),
      finalizers: z.array(text).nullish(),
      ownerReferences: z.array(z.looseObject({ apiVersion: text, kind: text, name: text, uid: text })).nullish(),
    })
    .nullish(),
});

/**
 * Reads a request body as an object of `type`. Fields of the metadata that the server sets may be missing; the name is
 * `''` if there is none.
 *
 * @throws {StatusError} 400 if the body is not such an object.
 */
export function decodeObject(type: ResourceType, body: unknown): ApiObject {
  const sent = type.builtIn ? named(type, body) : body;
  const parsed = draft.safeParse(sent);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue?.path.join('.') ?? '';
    throw badRequest(
      `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: ${where}: ${issue?.message ?? ''}`,
    );
  }
  const object = sent as ApiObject;
  const apiVersion = apiVersionOf(type);
  if (object.apiVersion !== apiVersion) {
    throw badRequest(
      type.builtIn
        ? `${object.kind} in version "${object.apiVersion.split('/').at(-1) ?? ''}" cannot be handled as a ${type.kind}: no kind "${object.kind}" is registered for version "${object.apiVersion}" in scheme "pkg/runtime/scheme.go:111"`
        : `the API version in the data (${object.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (object.kind !== type.kind) throw wrongKind(type, object);
  object.metadata = { name: '', ...compactMetadata(parsed.data.metadata ? object.metadata : {}) };
  // An empty list removes the managers of built-in kinds only.
  if (!type.builtIn && object.metadata.managedFields?.length === 0) delete object.metadata.managedFields;
  return object;
}

function wrongKind(type: ResourceType, { kind, metadata }: ApiObject): StatusError {
  const { group, version } = type;
  if (!type.builtIn) {
    return invalid({ group, kind }, metadata.name, [invalidField('kind', kind, `must be ${type.kind}`)]);
  }
  // The internal version of a kind is named after the first label of its group.
  const inside = group.split('.')[0] || 'core';
  return badRequest(
    `${kind} in version "${version}" cannot be handled as a ${type.kind}: converting (${version}.${kind}) to (${inside}.${type.kind}): unknown conversion`,
  );
}

/** Sets kind and version by the URL if the body has none. */
function named(type: ResourceType, body: unknown): unknown {
  return typeof body === 'object' ? { kind: type.kind, apiVersion: apiVersionOf(type), ...body } : body;
}

/** Collections that the Go type of the metadata omits if they are empty. */
const OMITTED_IF_EMPTY: ReadonlySet<string> = new Set(['labels', 'annotations', 'finalizers', 'ownerReferences']);

/** Removes `null` and empty collections from metadata, where they mean the same as absence. */
export function compactMetadata(metadata: object): Omit<ApiObject['metadata'], 'name'> {
  const entries = Object.entries(metadata).filter(
    ([field, value]) => value !== null && !(OMITTED_IF_EMPTY.has(field) && Object.keys(value as object).length === 0),
  );
  // The verb sets fields that are still missing.
  return Object.fromEntries(entries) as unknown as ApiObject['metadata'];
}

/** Returns the errors in the metadata of a new object. */
export function metadataErrors(type: ResourceType, { metadata }: ApiObject): FieldError[] {
  const name = metadata.name
    ? nameErrors(type.nameRule, metadata.name).map((detail) => invalidField('metadata.name', metadata.name, detail))
    : [requiredField('metadata.name', 'name or generateName is required')];
  return [
    ...name,
    ...labelFieldErrors(metadata.labels ?? {}),
    ...annotationFieldErrors(metadata.annotations ?? {}),
    ...finalizerFieldErrors(type, metadata.finalizers ?? []),
    ...ownerFieldErrors(metadata.ownerReferences ?? []),
  ];
}

function ownerFieldErrors(owners: NonNullable<ApiObject['metadata']['ownerReferences']>): FieldError[] {
  const errors = owners.flatMap((owner, index) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((field) => owner[field] === '')
      .map((field) => invalidField(`metadata.ownerReferences[${index}].${field}`, '', `${field} must not be empty`)),
  );
  const controllers = owners.filter((owner) => owner.controller);
  if (controllers.length > 1) {
    const [first, second] = controllers;
    errors.push(
      invalidField(
        'metadata.ownerReferences',
        owners,
        `Only one reference can have Controller set to true. Found "true" in references for ${first?.kind}/${first?.name} and ${second?.kind}/${second?.name}`,
      ),
    );
  }
  return errors;
}

const IMMUTABLE = 'field is immutable';

/** Returns the errors in the metadata of an update, and in changes of immutable fields. */
export function updateErrors(type: ResourceType, { object, previous }: Change): FieldError[] {
  const errors = metadataErrors(type, object);
  if (!previous) return errors;
  const before = previous.metadata;
  if (before.deletionTimestamp !== undefined) {
    const added = (object.metadata.finalizers ?? []).filter((finalizer) => !before.finalizers?.includes(finalizer));
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
