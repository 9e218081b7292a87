import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject, ObjectMeta } from '@mcr/client';
import { foundText, isPlainObject, ownField } from '@mcr/client';

/** The version that an object is converted to. */
export interface ConversionTarget {
  readonly apiVersion: string;
  /** Fields that the target version requires. */
  readonly required: readonly string[];
  /** Names the conversion in errors. */
  readonly subject: string;
}

/** Depth of a value that a converter may return. */
const MAX_DEPTH = 200;

/**
 * Returns the converted object: the fields that the converter returned, and the metadata of the object with its labels and
 * annotations. The values are copies.
 *
 * @throws {TypeError} if `result` is not a plain object of JSON values, such as a Promise or a Map; if it lacks a required
 * field that the object has; or if it changes metadata other than labels and annotations.
 */
export function convertedObject(
  object: KubernetesObject,
  result: unknown,
  { apiVersion, required, subject }: ConversionTarget,
): KubernetesObject {
  ignoreRejections(result);
  if (!isPlainObject(result)) throw new TypeError(wrongResult(subject, result));
  const { metadata, ...fields } = result;
  for (const [name, value] of Object.entries(fields)) checkJson(value, name, subject);
  const missing = required.find(
    (name) => ownField(fields, name) === undefined && ownField({ ...object }, name) !== undefined,
  );
  if (missing !== undefined) {
    throw new TypeError(`${subject}: the result has no ${missing}, which the version requires: return it`);
  }
  return structuredClone({
    ...fields,
    apiVersion,
    kind: object.kind,
    metadata: convertedMetadata(object.metadata, metadata, subject),
  });
}

function wrongResult(subject: string, result: unknown): string {
  const remedy = isThenable(result)
    ? 'converters are synchronous, so remove async'
    : 'return the fields, as in { spec, status }';
  return `${subject}: expected an object, found ${foundText(result)}: ${remedy}`;
}

/**
 * Labels and annotations of `after`, and everything else of `before`. Empty labels and annotations are dropped, as
 * kube-apiserver does with those that a conversion webhook returns.
 */
function convertedMetadata(before: ObjectMeta, after: unknown, subject: string): ObjectMeta {
  if (after === undefined) return before;
  if (!isPlainObject(after)) {
    throw new TypeError(
      `${subject}: metadata: expected an object, found ${foundText(after)}: leave it out, or return it`,
    );
  }
  const { labels, annotations, ...unchanged }: Readonly<Record<string, unknown>> = {
    labels: before.labels,
    annotations: before.annotations,
    ...after,
  };
  checkTexts(labels, 'metadata.labels', subject);
  checkTexts(annotations, 'metadata.annotations', subject);
  for (const [field, value] of Object.entries(unchanged)) {
    // Parsed documents have objects without a prototype.
    if (isDeepStrictEqual(structuredClone(ownField({ ...before }, field)), structuredClone(value))) continue;
    throw new TypeError(`${subject}: metadata.${field} changed: change only labels and annotations`);
  }
  const { labels: _, annotations: __, ...others } = before;
  return { ...others, ...(hasFields(labels) && { labels }), ...(hasFields(annotations) && { annotations }) };
}

/** Accepts texts by name, or nothing. */
function checkTexts(
  value: unknown,
  path: string,
  subject: string,
): asserts value is Readonly<Record<string, string>> | undefined {
  if (value === undefined) return;
  if (isPlainObject(value) && Object.values(value).every((text) => typeof text === 'string')) return;
  throw new TypeError(`${subject}: ${path}: expected an object of strings: correct the converter`);
}

function hasFields(value: Readonly<Record<string, string>> | undefined): value is Readonly<Record<string, string>> {
  return value !== undefined && Object.keys(value).length > 0;
}

/** @throws {TypeError} for a value that JSON does not have. A field that is `undefined` is missing. */
function checkJson(value: unknown, path: string, subject: string, depth = 0): void {
  if (value === undefined || isScalar(value)) return;
  if (depth > MAX_DEPTH) throw new TypeError(`${subject}: ${path}: the value has more than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      checkJson(item ?? null, `${path}[${index}]`, subject, depth + 1);
    }
  } else if (isPlainObject(value)) {
    for (const [name, field] of Object.entries(value)) checkJson(field, `${path}.${name}`, subject, depth + 1);
  } else {
    throw new TypeError(
      `${subject}: ${path}: expected a value of JSON, found ${foundText(value)}: return strings, finite numbers, booleans, lists and plain objects`,
    );
  }
}

function isScalar(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint';
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (Object(value) as { readonly then?: unknown }).then === 'function';
}

/** A Promise is refused by its place in the result. Its rejection must not end the program. */
function ignoreRejections(value: unknown, depth = 0): void {
  if (isThenable(value)) value.then(undefined, () => undefined);
  else if (depth <= MAX_DEPTH && (Array.isArray(value) || isPlainObject(value))) {
    for (const each of Object.values(value)) ignoreRejections(each, depth + 1);
  }
}
