import { invalid, requiredField, StatusError, unsupportedField } from '../status.ts';
import type { FieldError } from '../status.ts';
import { droppingNulls } from '../schema/drop-nulls.ts';
import { goDecoding } from '../schema/go-decode.ts';
import { mergedJson, onlyAt, withValueAt } from '../schema/merged-json.ts';
import { pruning } from '../schema/prune.ts';
import type { Schema } from '../schema/schema.ts';
import { coercingEmbedded, MistypedResource } from '../resources/coerce-embedded.ts';
import { builtInTypes } from '../resources/kind-table.ts';
import { fieldManagerErrors } from '../resources/managed-fields-errors.ts';
import { decodeObject, decoding, sentIdentity } from '../resources/metadata.ts';
import type { DecodedKind } from '../resources/metadata-types.ts';
import { cannotBeHandled, requireMetadataTypes } from '../resources/metadata-types.ts';
import { registeredType } from '../resources/registered-kinds.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Paused } from '../turn.ts';
import { inTurns, Turn } from '../turn.ts';
import type { ManagedWriteOptions } from '../verbs/target.ts';
import { isTrue } from '../verbs/watch-options.ts';
import { writeAdmission } from './admitted-options.ts';
import type { Exchange } from './exchange.ts';

const VALIDATIONS = ['Ignore', 'Warn', 'Strict'] as const;
export type FieldValidation = (typeof VALIDATIONS)[number];

/** Options of a write in its query. */
export interface WriteRequestOptions extends ManagedWriteOptions {
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

/** Kind of the options, for errors. An apply patch has additional requirements. */
export type WriteKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'ApplyOptions';

/** @throws {StatusError} 422 for options that are invalid or exclude one another. */
export function parseWriteOptions(exchange: Exchange, kind: WriteKind): WriteRequestOptions {
  const { query } = exchange;
  const fieldManager = query.get('fieldManager') ?? '';
  const errors: FieldError[] = [];
  const dryRun = query.getAll('dryRun');
  if (kind === 'ApplyOptions' && fieldManager === '') {
    errors.push(requiredField('fieldManager', 'is required for apply patch'));
  }
  if (kind === 'PatchOptions' && query.has('force')) {
    errors.push({
      reason: 'FieldValueForbidden',
      field: 'force',
      message: 'Forbidden: may not be specified for non-apply patch',
    });
  }
  errors.push(...fieldManagerErrors('fieldManager', fieldManager));
  if (dryRun.some((value) => value !== 'All')) errors.push(unsupportedField('dryRun', dryRun, ['All']));
  const validation = query.get('fieldValidation') || 'Warn';
  const fieldValidation = VALIDATIONS.find((known) => known === validation);
  if (!fieldValidation) errors.push(unsupportedField('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']));
  if (errors.length > 0 || !fieldValidation) {
    throw invalid({ group: 'meta.k8s.io', kind: kind === 'ApplyOptions' ? 'PatchOptions' : kind }, '', errors);
  }
  return {
    dryRun: query.has('dryRun'),
    admission: writeAdmission(exchange, query.has('dryRun')),
    // The verb of a POST is `create` already.
    authorizeCreation: kind === 'CreateOptions' ? undefined : exchange.authorizeCreation,
    mayApprove: exchange.mayApprove,
    manager: fieldManager || managerOfAgent(exchange.header('user-agent')),
    fieldValidation,
    force: isTrue(query.get('force')),
    warn: (text) => exchange.warn(text),
  };
}

/** Returns the program in User-Agent as the name of a manager. */
function managerOfAgent(userAgent = ''): string {
  return /^[^/]{1,128}/.exec(userAgent)?.[0] ?? 'unknown';
}

/** A body and the paths of its duplicate fields. */
export interface CheckedBody {
  readonly value: unknown;
  readonly duplicates: readonly string[];
  /** Faults of the operations of a JSON patch. Default: there are none. */
  readonly patchFaults?: readonly string[];
  /** Duplicate keys of a YAML body, for example `line 7: key "a" already set in map`. */
  readonly duplicateKeys: readonly string[];
}

/**
 * Reads a body with its duplicate fields.
 *
 * @param type type of the object in the body; `undefined` for a patch.
 * @throws {StatusError} 400
 */
export async function readBody(
  exchange: Exchange,
  { fieldValidation }: WriteRequestOptions,
  type?: ResourceType,
): Promise<CheckedBody> {
  // A decoder that is not strict reports the expected kind.
  const isLenient = fieldValidation === 'Ignore';
  const expected = type && { apiVersion: apiVersionOf(type), kind: type.kind, builtIn: type.builtIn, isLenient };
  const value = await exchange.body(expected);
  const found = exchange.duplicateFields;
  const duplicates = isLenient ? [] : found;
  const isMerged = type?.builtIn === true && found.length > 0;
  return {
    value: isMerged ? await inTurns(mergedBody(type, exchange.text)) : value,
    duplicates,
    duplicateKeys: exchange.duplicateKeys,
  };
}

/** Reads a body with duplicate fields. @throws {StatusError} 400 if a value that another one replaces has a wrong type. */
function* mergedBody(type: ResourceType, text: string): Paused<unknown> {
  const turn = new Turn();
  const { value, replaced } = mergedJson(text);
  for (const { path, value: earlier } of replaced) {
    if (turn.step()) yield* turn.pause();
    // Only the last kind and the last version count.
    const isIdentity = path.length === 1 && (path[0] === 'kind' || path[0] === 'apiVersion');
    if (isIdentity || isDecodable(type, onlyAt(path, earlier))) continue;
    // Decodes the whole object, because another part of it may have the first fault.
    decodeObject(type, withValueAt(value, path, earlier), true);
  }
  return value;
}

function isDecodable(type: ResourceType, value: unknown): boolean {
  try {
    decodeObject(type, value, true);
    return true;
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}

/**
 * Drops unknown fields, and reports them and duplicate fields as the client requested (KEP-2885).
 *
 * @throws {StatusError} 400 if the client requested strict validation.
 */
export function* dropUnknownFields(
  exchange: Exchange,
  type: ResourceType,
  { value, ...sent }: CheckedBody,
  options: WriteRequestOptions,
  turn: Turn,
): Paused<unknown> {
  const { fieldValidation } = options;
  const sentType = typeOfBody(type, value);
  // A body in another version than that of the request is decoded in its own one before it is refused.
  if (sentType !== type && typeof value === 'object' && value !== null)
    yield* goDecoding(sentType, value as ApiObject, turn);
  const faults = faultsOf(sent, yield* unknownFields(type, value, turn));
  const isChecked = type.builtIn && faults.length > 0 && fieldValidation !== 'Ignore';
  if (isChecked && typeof value === 'object' && value !== null && sentType === type) {
    // Values of a wrong type are reported first.
    yield* decoding(type, value, turn);
  }
  reportFaults(exchange, namedIn(type, value), faults, options);
  return value;
}

/** The faults of a body. */
export interface Faults {
  readonly fields: readonly string[];
  /** Duplicate keys of YAML. */
  readonly keys: readonly string[];
  readonly length: number;
}

/** Describes duplicate and unknown fields. @param unknown their paths. */
export function faultsOf(
  { duplicates, duplicateKeys, patchFaults = [] }: Omit<CheckedBody, 'value'>,
  unknown: readonly string[],
): Faults {
  const fields = [
    ...patchFaults,
    ...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
  ];
  return { fields, keys: duplicateKeys, length: fields.length + duplicateKeys.length };
}

/** Reports faults as the client requested. @throws {StatusError} 400 if the client requested strict validation. */
export function reportFaults(
  exchange: Exchange,
  kind: Pick<DecodedKind, 'kind' | 'version' | 'wanted'>,
  { fields, keys, length }: Faults,
  { fieldValidation }: WriteRequestOptions,
): void {
  if (length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') {
    // A strict error contains the keys as one.
    const all = keys.length > 0 ? [`yaml: unmarshal errors:\n  ${keys.join('\n  ')}`, ...fields] : fields;
    throw cannotBeHandled({ builtIn: false, ...kind }, `strict decoding error: ${all.join(', ')}`);
  }
  for (const fault of [...keys, ...fields]) exchange.warn(fault);
}

/** Names the kind of a body and the version that it says. */
function namedIn(type: ResourceType, value: unknown): DecodedKind {
  const { kind, apiVersion } = (value ?? {}) as { readonly kind?: unknown; readonly apiVersion?: unknown };
  if (typeOfBody(type, value) === type) {
    const identity = sentIdentity(type, value);
    return type.builtIn ? identity : { ...identity, wanted: identity.kind };
  }
  return sentIdentity({ ...type, builtIn: false }, { kind, apiVersion });
}

/** Drops the fields that the schema does not have, and returns their paths. @throws {StatusError} 400 */
function* unknownFields(type: ResourceType, value: unknown, turn: Turn): Paused<readonly string[]> {
  if (type.builtIn) return yield* pruning(typeOfBody(type, value).schema, value, turn);
  const { kind, apiVersion, metadata } = value as Partial<Record<'apiVersion' | 'kind' | 'metadata', unknown>>;
  if (apiVersion === null)
    throw cannotBeHandled(
      { ...sentIdentity(type, value), version: '' },
      '.apiVersion accessor error: <nil> is of the type <nil>, expected string',
    );
  requireMetadataTypes(sentIdentity(type, value), metadata);
  // The schema of the kind says nothing about another one, except about its metadata.
  if (kind !== type.kind || apiVersion !== apiVersionOf(type)) {
    return (yield* pruning(onlyMetadata(type.schema), value, turn)).toSorted();
  }
  yield* droppingNulls(withoutIdentity(type.schema), value, turn);
  const paths = (yield* pruning(type.schema, value, turn)).toSorted();
  const inMetadata = (path: string): boolean => path.startsWith('metadata.');
  const outside = paths.filter((path) => !inMetadata(path));
  return [...paths.filter(inMetadata), ...outside, ...(yield* embeddedFields(type, value, turn))];
}

/** Drops the unknown fields of the metadata of embedded resources, and returns their paths. @throws {StatusError} 400 */
function* embeddedFields(type: ResourceType, value: unknown, turn: Turn): Paused<readonly string[]> {
  try {
    return (yield* coercingEmbedded(type.schema, value, turn)).toSorted();
  } catch (error) {
    throw error instanceof MistypedResource ? cannotBeHandled(sentIdentity(type, value), error.message) : error;
  }
}

/** Returns the type of a body: that of the version that it names, if the kind has several. */
function typeOfBody(type: ResourceType, value: unknown): ResourceType {
  const { kind, apiVersion } = (value ?? {}) as { readonly kind?: unknown; readonly apiVersion?: unknown };
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') return type;
  if (kind !== type.kind || apiVersion === apiVersionOf(type)) return type;
  const sent = registeredType(builtInTypes, apiVersion, kind);
  return sent?.storage === type.storage ? sent : type;
}

/** Returns a schema that keeps all fields outside the metadata. */
function onlyMetadata({ properties: { metadata } = {} }: Schema): Schema {
  return {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    ...(metadata && { properties: { metadata } }),
  };
}

/** Returns a schema without the fields that every object has: they are decoded in another way. */
function withoutIdentity(schema: Schema): Schema {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...properties } = schema.properties ?? {};
  return { ...schema, properties, additionalProperties: false };
}
