import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../status.ts';
import { unsupportedField } from '../status.ts';
import type { Paused } from '../turn.ts';
import { complete, Turn } from '../turn.ts';
import { combined } from './combined.ts';
import type { Before } from './correlation.ts';
import { fieldBefore, itemBefore } from './correlation.ts';
import { integerOf } from './exact-integers.ts';
import { Findings } from './findings.ts';
import { isKnownFormat, matchesFormat } from './formats.ts';
import { compileExpression } from './regular-expression.ts';
import { goFloat, isInt64, isWhole } from './go-number.ts';
import { isWrittenAsFloat } from './number-texts.ts';
import type { Schema } from './schema.ts';
import { additionalSchema } from './schema.ts';
import { isUnchanged } from './unchanged.ts';

export interface ValidationOptions {
  /** The value before an update, for parts of the object that can be correlated. */
  readonly before?: Before | undefined;
  /** Formats that count: those that are supported for custom objects, or also others that name a type. Default: supported. */
  readonly formats?: 'supported' | 'all';
}

/**
 * Returns the violations of a schema. Messages follow `k8s.io/kube-openapi/pkg/validation` as in API errors.
 * `x-kubernetes-validations` (CEL) are not evaluated.
 *
 * @returns the errors. The field is empty for a fault of the whole value.
 */
export function schemaErrors(schema: Schema, value: unknown, options: ValidationOptions = {}): FieldError[] {
  return complete(findingSchemaErrors(schema, value, options, new Turn()));
}

/** Like {@link schemaErrors}, with pauses. */
export function* findingSchemaErrors(
  schema: Schema,
  value: unknown,
  { before, formats = 'supported' }: ValidationOptions,
  turn: Turn,
): Paused<FieldError[]> {
  return (yield* validate({ schema, path: '', formats, turn }, value, before)).errors;
}

interface Place {
  readonly schema: Schema;
  readonly path: string;
  readonly formats: 'supported' | 'all';
  readonly turn: Turn;
  /** Whether the value is a number that is written with a fraction or an exponent. */
  readonly isFloat?: boolean;
}

/** Checks a value. Every validator that applies counts as one check, and the value itself as another. */
function* validate(place: Place, value: unknown, before: Before | undefined): Paused<Findings> {
  const { schema, path } = place;
  const findings = new Findings();
  const format = formatIn(place);
  if (value === null) {
    checkNull(schema, path, findings);
    checkEnum(schema, value, path, findings);
    return findings;
  }
  if (schema.type !== undefined || format !== undefined || schema['x-kubernetes-int-or-string']) {
    checkType(place, value, findings);
    findings.count(2);
  }
  findings.merge(yield* combined(schema, path, (part) => validate({ ...place, schema: part }, value, before)));
  findings.count();
  if (typeof value === 'string') {
    checkText(schema, value, path, findings);
    findings.count();
    if (format !== undefined) {
      checkFormat(format, value, path, findings);
      findings.count();
    }
  }
  if (typeof value === 'number') {
    checkNumber(place, isInteger(place, value) ? integerOf(value) : value, findings);
    findings.count(2);
  }
  if (Array.isArray(value)) {
    yield* checkList(place, value, before, findings);
    findings.count(2);
  }
  checkEnum(schema, value, path, findings);
  findings.count();
  if (typeof value === 'object' && !Array.isArray(value)) {
    yield* checkObject(place, value, before, findings);
    findings.count();
  }
  findings.count();
  // An update keeps invalid values that it does not change (KEP-4008).
  if (findings.isValid || !before || path === '') return findings;
  if (!(yield* isUnchanged(schema, value, before.value, place.turn))) return findings;
  const kept = new Findings();
  kept.count(findings.checks);
  return kept;
}

function checkNull(schema: Schema, path: string, findings: Findings): void {
  const type = schema['x-kubernetes-int-or-string'] ? 'integer,string' : schema.type;
  findings.count();
  if (schema.nullable === true || type === undefined) return;
  findings.add(...mistyped(path, type, 'null'));
}

function formatIn({ schema: { format }, formats }: Place): string | undefined {
  if (format === undefined || format === '') return undefined;
  return formats === 'all' || isKnownFormat(format) ? format : undefined;
}

function checkType(place: Place, value: unknown, findings: Findings): void {
  const { schema, path } = place;
  const format = formatIn(place);
  const types: readonly string[] = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : [schema.type ?? ''];
  const actual = typeOf(place, value);
  const isNumeric = types.includes('number') || types.includes('integer');
  const fits =
    types.includes(actual) ||
    (actual === 'integer' && types.includes('number')) ||
    (actual === 'number' && types.includes('integer') && isWhole(value as number));
  const isSimple = typeof value !== 'string' && !Array.isArray(value);
  if (isSimple && format !== undefined && !fits && formatOf(place, value) !== format) {
    findings.add(...mistyped(path, format, formatOf(place, value)));
    return;
  }
  // The format is checked instead.
  if (!isNumeric && format !== undefined && !isSimple) return;
  if (!fits && schema.type === undefined && !schema['x-kubernetes-int-or-string']) {
    findings.add(...mistyped(path, '', actual));
  } else if (!fits) findings.add(...mistyped(path, types.join(','), actual));
}

function typeOf(place: Place, value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return isInteger(place, value) ? 'integer' : typeof value;
}

/** Reports whether Go decodes a value into an integer. */
function isInteger({ isFloat = false }: Place, value: unknown): value is number {
  return !isFloat && isInt64(value);
}

/** Returns the format of a value without one, as upstream infers it from the Go type. */
function formatOf(place: Place, value: unknown): string {
  if (typeof value !== 'number') return '';
  return isInteger(place, value) ? 'int64' : 'float64';
}

function mistyped(path: string, expected: string, actual: string): [text: string, error: FieldError] {
  const shown = JSON.stringify(actual);
  const text = `${path} in body must be of type ${expected}: ${shown}`;
  return [text, { reason: 'FieldValueTypeInvalid', field: fieldOf(path), message: `Invalid value: ${shown}: ${text}` }];
}

/** Fields of the whole object have a path that begins with a dot if they are required, or those of a map. */
function fieldOf(path: string): string {
  return path.replace(/^\./u, '');
}

/** @param rule text after `in body`. */
function broken(path: string, value: unknown, rule: string): [text: string, error: FieldError] {
  const text = `${path} in body ${rule}`;
  const shown = typeof value === 'number' || typeof value === 'bigint' ? goText(value) : JSON.stringify(value);
  const message = `Invalid value: ${shown}: ${text}`;
  return [text, { reason: 'FieldValueInvalid', field: fieldOf(path), message }];
}

/** Returns a number as Go prints it. @param value an integer is a bigint. */
function goText(value: number | bigint): string {
  return typeof value === 'bigint' ? String(value) : goFloat(value);
}

function checkEnum(schema: Schema, value: unknown, path: string, findings: Findings): void {
  const { enum: allowed } = schema;
  // Upstream skips a null among the values (`basicCommonValidator.Validate`).
  if (!allowed || allowed.length === 0 || allowed.some((one) => one !== null && isAllowed(one, value))) return;
  const texts = allowed.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  findings.add(`${path} in body should be one of`, unsupportedField(fieldOf(path), value, texts));
}

/** Go converts a value to the type of each allowed one: a fraction to an integer, and an integer to the text of its code point. */
function isAllowed(allowed: unknown, value: unknown): boolean {
  if (typeof value !== 'number') return isDeepStrictEqual(allowed, value);
  if (typeof allowed === 'string') return isInt64(value) && allowed === textOfCodePoint(value);
  return allowed === (isInt64(allowed) ? Math.trunc(value) : value);
}

function textOfCodePoint(code: number): string {
  const isValid = code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isValid ? String.fromCodePoint(code) : '\uFFFD';
}

/** Reports the first fault. */
function checkText(schema: Schema, value: string, path: string, findings: Findings): void {
  const { minLength = 0, maxLength = Infinity, pattern } = schema;
  const { length } = Array.from(value);
  if (length > maxLength) {
    const message = `Too long: may not be more than ${maxLength} ${maxLength === 1 ? 'byte' : 'bytes'}`;
    findings.add(`${path} in body should be at most`, { reason: 'FieldValueTooLong', field: fieldOf(path), message });
  } else if (length < minLength) {
    findings.add(...broken(path, value, `should be at least ${minLength} chars long`));
  } else if (pattern !== undefined && pattern !== '' && !compileExpression(pattern).test(value)) {
    findings.add(...broken(path, value, `should match '${pattern}'`));
  }
}

function checkFormat(format: string, value: string, path: string, findings: Findings): void {
  if (!matchesFormat(format, value)) findings.add(...mistyped(path, format, value));
}

/** @param value an integer is a bigint, which Go compares with the bounds as integers. */
function checkNumber({ schema, path }: Place, value: number | bigint, findings: Findings): void {
  const { minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false, multipleOf } = schema;
  if (multipleOf !== undefined) checkMultiple(multipleOf, value, path, findings);
  if (minimum !== undefined) {
    const limit = boundOf(minimum, value);
    const rule = `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${goText(limit)}`;
    if (exclusiveMinimum ? value <= limit : value < limit) findings.add(...broken(path, value, rule));
  }
  if (maximum !== undefined) {
    const limit = boundOf(maximum, value);
    const rule = `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${goText(limit)}`;
    if (exclusiveMaximum ? value >= limit : value > limit) findings.add(...broken(path, value, rule));
  }
}

/** Returns a bound as a number of the same type as the value. */
function boundOf(bound: number, value: number | bigint): number | bigint {
  return typeof value === 'bigint' ? toInt64(bound) : bound;
}

const SMALLEST_INT64 = -(2n ** 63n);

/** On amd64, Go converts a number that is too large to the smallest integer. */
function toInt64(value: number): bigint {
  return Math.abs(value) >= 2 ** 63 ? SMALLEST_INT64 : BigInt(Math.trunc(value));
}

function checkMultiple(multipleOf: number, value: number | bigint, path: string, findings: Findings): void {
  const factor = boundOf(multipleOf, value);
  const text = goText(factor);
  if (factor <= 0) {
    const rule = `factor MultipleOf declared for ${path} must be positive: ${text}`;
    findings.add(rule, {
      reason: 'FieldValueInvalid',
      field: fieldOf(path),
      message: `Invalid value: ${text}: ${rule}`,
    });
    return;
  }
  if (!isMultiple(value, factor)) findings.add(...broken(path, value, `should be a multiple of ${text}`));
}

function isMultiple(value: number | bigint, factor: number | bigint): boolean {
  if (typeof value === 'bigint' && typeof factor === 'bigint') return value % factor === 0n;
  const [number, divisor] = [Number(value), Number(factor)];
  return isWhole(divisor < 1 ? (1 / divisor) * number : number / divisor);
}

function forbidden(path: string, field: string): [text: string, error: FieldError] {
  const text = `${path}.${field} in body is a forbidden property`;
  return [
    text,
    { reason: 'FieldValueInvalid', field: path, message: `Invalid value: ${JSON.stringify(field)}: ${text}` },
  ];
}

function tooMany(path: string, count: number, limit: number): [text: string, error: FieldError] {
  const message = `Too many: ${count}: must have at most ${limit} ${limit === 1 ? 'item' : 'items'}`;
  return [`${path} in body should have at most`, { reason: 'FieldValueTooMany', field: fieldOf(path), message }];
}

function* checkList(
  place: Place,
  list: readonly unknown[],
  before: Before | undefined,
  findings: Findings,
): Paused<void> {
  const { schema, path, turn } = place;
  const { items, minItems = 0, maxItems = Infinity } = schema;
  if (items) {
    for (const [index, item] of list.entries()) {
      if (turn.step()) yield* turn.pause();
      const isFloat = isWrittenAsFloat(list, String(index), item);
      const at = { ...place, schema: items, path: `${path}[${index}]`, isFloat };
      findings.merge(yield* validate(at, item, itemBefore(schema, item, before)));
    }
  }
  if (list.length < minItems) findings.add(...broken(path, list.length, `should have at least ${minItems} items`));
  if (list.length > maxItems) findings.add(...tooMany(path, list.length, maxItems));
}

function* checkObject(place: Place, object: object, before: Before | undefined, findings: Findings): Paused<void> {
  const { schema, path, turn } = place;
  const { properties = {}, required = [], minProperties = 0, maxProperties = Infinity } = schema;
  const additional = additionalSchema(schema);
  const count = Object.keys(object).length;
  if (count < minProperties) {
    findings.add(...broken(path, count, `should have at least ${minProperties} properties`));
  }
  if (count > maxProperties) findings.add(...tooMany(path, count, maxProperties));
  const isClosed = schema.additionalProperties === false;
  for (const field of Object.keys(object)) {
    if (turn.step()) yield* turn.pause();
    const value = (object as Readonly<Record<string, unknown>>)[field];
    const property = Object.hasOwn(properties, field) ? properties[field] : undefined;
    const known = property ?? additional;
    if (!known && isClosed) findings.add(...forbidden(path, field));
    if (!known) continue;
    const at = property && path === '' ? field : `${path}.${field}`;
    const isFloat = isWrittenAsFloat(object, field, value);
    const inside = { ...place, schema: known, path: at, isFloat };
    findings.merge(yield* validate(inside, value, fieldBefore(field, path, before)));
  }
  for (const field of required) {
    if (Object.hasOwn(object, field)) continue;
    const at = fieldOf(`${path}.${field}`);
    const error: FieldError = { reason: 'FieldValueRequired', field: at, message: 'Required value' };
    findings.add(`${path}.${field} in body is required`, error);
  }
}
