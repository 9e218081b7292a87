import { DecodeError } from '../decode-error.ts';
import { invalid, invalidField, requiredField, unsupportedField } from '../status.ts';
import type { FieldError, StatusError } from '../status.ts';
import { duplicateFields } from '../schema/duplicate-fields.ts';
import { dropNulls } from '../schema/drop-nulls.ts';
import { prune } from '../schema/prune.ts';
import type { Schema } from '../schema/schema.ts';
import { coerceEmbedded } from '../resources/coerce-embedded.ts';
import { decodeObject } from '../resources/metadata.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
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

/** Maximum length of a manager's name, in bytes. */
const MANAGER_LIMIT = 128;

/** Kind of the options, for errors. An apply patch has additional requirements. */
export type WriteKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'ApplyOptions';

/** @throws {StatusError} 422 for options that are invalid or exclude one another. */
export function parseWriteOptions(exchange: Exchange, kind: WriteKind): WriteRequestOptions {
  const { query } = exchange;
  const fieldManager = query.get('fieldManager') ?? '';
  const errors: FieldError[] = [];
  const dryRun = query.getAll('dryRun');
  if (Buffer.byteLength(fieldManager) > MANAGER_LIMIT) {
    errors.push({
      reason: 'FieldValueTooLong',
      field: 'fieldManager',
      message: `Too long: may not be more than ${MANAGER_LIMIT} bytes`,
    });
  } else {
    const index = fieldManager.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
    const code = fieldManager.codePointAt(index)?.toString(16).toUpperCase().padStart(4, '0') ?? '';
    const at = Buffer.byteLength(fieldManager.slice(0, index));
    if (index >= 0)
      errors.push(invalidField('fieldManager', fieldManager, `invalid character U+${code} (at position ${at})`));
  }
  if (dryRun.some((value) => value !== 'All')) errors.push(unsupportedField('dryRun', dryRun, ['All']));
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
  const validation = query.get('fieldValidation') || 'Warn';
  const fieldValidation = VALIDATIONS.find((known) => known === validation);
  if (!fieldValidation) errors.push(unsupportedField('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']));
  if (errors.length > 0 || !fieldValidation) {
    throw invalid({ group: 'meta.k8s.io', kind: kind === 'ApplyOptions' ? 'PatchOptions' : kind }, '', errors);
  }
  return {
    dryRun: query.has('dryRun'),
    admission: writeAdmission(exchange, query.has('dryRun')),
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
  const duplicates = fieldValidation === 'Ignore' ? [] : duplicateFields(exchange.text);
  return { value, duplicates, duplicateKeys: exchange.duplicateKeys };
}

/**
 * Drops unknown fields, and reports them and duplicate fields as the client requested (KEP-2885).
 *
 * @throws {StatusError} 400 if the client requested strict validation.
 */
export function dropUnknownFields(
  exchange: Exchange,
  type: ResourceType,
  { value, duplicates, duplicateKeys }: CheckedBody,
  { fieldValidation }: WriteRequestOptions,
): unknown {
  if (!type.builtIn) dropNulls(withoutIdentity(type.schema), value);
  const strict = fieldValidation === 'Strict';
  // A strict error contains the keys as one.
  const keys =
    strict && duplicateKeys.length > 0 ? [`yaml: unmarshal errors:\n  ${duplicateKeys.join('\n  ')}`] : duplicateKeys;
  const faults = [
    ...keys,
    ...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...[...prune(type.schema, value), ...(type.builtIn ? [] : coerceEmbedded(type, value))].map(
      (path) => `unknown field ${JSON.stringify(path)}`,
    ),
  ];
  if (faults.length === 0 || fieldValidation === 'Ignore') return value;
  if (type.builtIn && typeof value === 'object' && value !== null) {
    // Values of a wrong type are reported first.
    decodeObject(type, value, true);
  }
  if (strict) throw strictDecodingError(type, faults);
  for (const fault of faults) exchange.warn(fault);
  return value;
}

/** Returns a schema without the fields that every object has: they are decoded in another way. */
function withoutIdentity(schema: Schema): Schema {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...properties } = schema.properties ?? {};
  return { ...schema, properties, additionalProperties: false };
}

function strictDecodingError(type: ResourceType, faults: readonly string[]): StatusError {
  return new DecodeError(type, `strict decoding error: ${faults.join(', ')}`);
}
