import { badRequest, invalid, invalidField, requiredField, unsupportedField } from '../status.ts';
import type { FieldError, StatusError } from '../status.ts';
import { duplicateFields } from '../schema/duplicate-fields.ts';
import { prune } from '../schema/prune.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import type { ManagedWriteOptions } from '../verbs/target.ts';
import { isTrue } from '../verbs/watch-options.ts';
import type { Exchange } from './exchange.ts';

const VALIDATIONS = ['Ignore', 'Warn', 'Strict'] as const;
export type FieldValidation = (typeof VALIDATIONS)[number];

/** What the query of a write says of how to do it. */
export interface WriteRequestOptions extends ManagedWriteOptions {
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

/** The longest name of a manager, in bytes. */
const MANAGER_LIMIT = 128;

/** The kind of options, for errors; of an apply patch more is asked. */
export type WriteKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'ApplyOptions';

/** @throws {StatusError} 422 for options that there are not, or that do not go together. */
export function parseWriteOptions(exchange: Exchange, kind: WriteKind): WriteRequestOptions {
  const { query } = exchange;
  const fieldManager = query.get('fieldManager') ?? '';
  const errors: FieldError[] = [];
  const dryRun = query.getAll('dryRun');
  if (dryRun.some((value) => value !== 'All')) errors.push(unsupportedField('dryRun', dryRun, ['All']));
  if (Buffer.byteLength(fieldManager) > MANAGER_LIMIT) {
    errors.push({
      reason: 'FieldValueTooLong',
      field: 'fieldManager',
      message: `Too long: may not be more than ${MANAGER_LIMIT} bytes`,
    });
  } else if (/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(fieldManager)) {
    errors.push(invalidField('fieldManager', fieldManager, 'should only contain printable characters'));
  }
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
    manager: fieldManager || managerOfAgent(exchange.header('user-agent')),
    fieldValidation,
    force: isTrue(query.get('force')),
  };
}

/** The name of a manager that gives none: its program's. */
function managerOfAgent(userAgent = ''): string {
  return /^[^/]{1,128}/.exec(userAgent)?.[0] ?? 'unknown';
}

/** A body, and what its text says twice. */
export interface CheckedBody {
  readonly value: unknown;
  readonly duplicates: readonly string[];
}

/** Reads a body that is an object. @throws {StatusError} 400 */
export async function readBody(exchange: Exchange, { fieldValidation }: WriteRequestOptions): Promise<CheckedBody> {
  const value = await exchange.body();
  return { value, duplicates: fieldValidation === 'Ignore' ? [] : duplicateFields(exchange.text) };
}

/**
 * Drops the fields that the kind does not have, and tells of them and of duplicates as the client wishes (KEP-2885).
 *
 * @throws {StatusError} 400 when it wishes them to be refused.
 */
export function dropUnknownFields(
  exchange: Exchange,
  type: ResourceType,
  { value, duplicates }: CheckedBody,
  { fieldValidation }: WriteRequestOptions,
): unknown {
  const faults = [
    ...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...prune(type.schema, value).map((path) => `unknown field ${JSON.stringify(path)}`),
  ];
  if (faults.length === 0 || fieldValidation === 'Ignore') return value;
  if (fieldValidation === 'Strict') throw strictDecodingError(type, faults);
  for (const fault of faults) exchange.warn(fault);
  return value;
}

function strictDecodingError({ kind, version }: ResourceType, faults: readonly string[]): StatusError {
  const list = faults.join(', ');
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${list}`);
}
