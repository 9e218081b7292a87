import type { Choices } from '../choices.ts';
import type { Example } from '../examples.ts';
import { mutate } from '../mutation.ts';
import type { Json, JsonObject } from '../operation.ts';

/** Names of most objects. */
export const NAMES = ['a', 'b', 'c'] as const;

/** Names that no kind, or not every kind, accepts. */
export const BAD_NAMES = ['', 'A', 'a_b', '-a', 'a.', 'x'.repeat(254), 'a/b', '..', 'a b', '%'] as const;

/** Kinds whose names must have a form of their own. */
const FIXED_NAMES: Readonly<Record<string, string>> = { ipaddresses: '192.0.2.1' };

/** Returns the name of an object of a kind: one of a few, so that operations meet. */
export function nameOf(choices: Choices, { collection }: Example): string {
  return FIXED_NAMES[collection.slice(collection.lastIndexOf('/') + 1)] ?? choices.one(NAMES);
}

/** Returns an object with a name, and with more metadata. */
export function named(object: JsonObject, name: string, more: JsonObject = {}): JsonObject {
  return { ...object, metadata: { ...(object['metadata'] as JsonObject | undefined), name, ...more } };
}

/** Returns an object of a kind, which may be invalid. */
export function objectOf(choices: Choices, example: Example, name: string): JsonObject {
  const valid = named(choices.one(example.objects), name, someMetadata(choices));
  return choices.weighted<() => JsonObject>([
    [4, () => valid],
    [5, () => mutate(choices, valid)],
    [1, () => mutate(choices, mutate(choices, valid))],
    [1, () => mutate(choices, valid, true)],
    [example.invalid.length > 0 ? 3 : 0, () => named(choices.one(example.invalid), name)],
  ])();
}

/** Returns metadata for an object, which is rarely invalid. */
export function someMetadata(choices: Choices): JsonObject {
  return {
    ...(choices.chance(0.3) && { labels: { app: 'web', tier: choices.one(['gold', 'silver']) } }),
    ...(choices.chance(0.15) && { annotations: { 'example.com/note': choices.one(['x', 'y']) } }),
    ...(choices.chance(0.05) && { finalizers: ['example.com/hold'] }),
    ...(choices.chance(0.05) && { labels: { 'bad key!': 'x' } }),
  };
}

/** Returns one field of an object, with its parents. */
export function partOf(choices: Choices, object: JsonObject): JsonObject {
  const fields = Object.keys(object).filter((field) => !['apiVersion', 'kind', 'metadata'].includes(field));
  if (fields.length === 0) return { metadata: { labels: { app: 'x' } } };
  const field = choices.one(fields);
  const value = object[field];
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || choices.chance(0.3)) return { [field]: choices.chance(0.1) ? null : value };
  const inner = choices
    .some(Object.entries(value), 0.4)
    .map(([key, item]) => [key, choices.chance(0.1) ? null : item] as const);
  return { [field]: Object.fromEntries(inner) };
}

/** Returns a text that is not the JSON of the object. */
export function broken(choices: Choices, object: JsonObject): Json {
  const text = JSON.stringify(object);
  return choices.one<Json>([
    '',
    '{',
    'null',
    '[]',
    '"x"',
    '5',
    'true',
    'a: b',
    text.slice(0, -1),
    `${text}}`,
    `${text}x`,
    text.replace('"metadata"', '"Metadata"'),
    text.replace('{', '{"kind":"Pod",'),
    text.replace('"metadata":{', '"metadata":{"labels":5,'),
    text.replace('"metadata":{', '"metadata":{"creationTimestamp":"yesterday",'),
    text.replace('"metadata":{', '"metadata":{"generation":"x",'),
    text.replace('"metadata":{', '"metadata":{"ownerReferences":[{}],'),
    text.replace('"metadata":{', '"metadata":{"finalizers":["a"],'),
    text.replace('"metadata":{', '"metadata":{"unknown":1,'),
    text.replace('"metadata":{', '"metadata":{"selfLink":"/x","generation":7,'),
    text.replace(/"metadata":\{[^}]*\}/u, '"metadata":null'),
    text.replace(/"metadata":\{[^}]*\}/u, '"metadata":[]'),
  ]);
}
