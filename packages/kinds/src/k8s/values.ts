import { foundText, ownField, parseOptions } from '@mcr/client';
import * as z from 'zod';
import type { KubernetesMeta, StructuralSchema } from '../structural/structural-schema.ts';
import { EQUIVALENT } from '../walk/checks.ts';
import { serverFormat } from '../walk/strings.ts';

/** A port, a count or a percentage: an integer or a string, as in `IntOrString` of Kubernetes. */
export function intOrString(): z.ZodType<number | string, number | string> {
  return z.union([z.int32(), z.string()], 'expected an integer of 32 bits, or a string');
}

const QUANTITY =
  /^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$/;

/** An amount of a resource, such as `500m`, `2Gi` or 3 (API reference: `Quantity`). */
export function quantity(): z.ZodType<number | string, number | string> {
  return z.union([z.int(), z.string().regex(QUANTITY)]);
}

/** Any number of these in 64 characters fits into the 64 bits of nanoseconds of a server. */
const DURATION = /^([0-9]{1,5}(\.[0-9]+)?h|[0-9]{1,7}(\.[0-9]+)?m|[0-9]{1,9}(\.[0-9]+)?s|[0-9]{1,12}(\.[0-9]+)?ms)+$/;

/** A length of time in a string such as `90s` or `1h30m`, of at most 99,999 hours. In rules, it is a duration. */
export function duration(): z.ZodType<string, string> {
  return equivalent(z.string().max(64).regex(DURATION), serverFormat('duration'));
}

/** A point in time in RFC 3339, such as `2026-01-02T15:04:05Z`. In rules, it is a timestamp. */
export function time(): z.ZodType<string, string> {
  return z.iso.datetime({ offset: true });
}

/** Bytes, as base64 in a string. */
export function bytes(): z.ZodType<string, string> {
  return z.base64();
}

/** Any value of JSON. The server checks and drops nothing in it. */
export function raw(): z.ZodType {
  return z.unknown();
}

/** An object with any fields. The server checks and drops nothing in it. */
export function rawObject(): z.ZodType<Record<string, unknown>, Record<string, unknown>> {
  return z.looseObject({});
}

/** A Kubernetes object of any kind. */
export interface EmbeddedObject {
  apiVersion: string;
  kind: string;
  [field: string]: unknown;
}

/** A complete Kubernetes object of any kind. The server checks its `apiVersion`, `kind` and `metadata`. */
export function embeddedObject(): z.ZodType<EmbeddedObject, EmbeddedObject> {
  return z
    .looseObject({ apiVersion: z.string().min(1), kind: z.string().min(1) })
    .meta({ 'x-kubernetes-embedded-resource': true });
}

/**
 * A list of objects that some of their fields identify. The server refuses two items with the same keys, and server-side
 * apply merges the items by their keys.
 *
 * @param keys names of fields of the items. They are required, or have a default.
 */
export function listMap<Item extends z.ZodType>(item: Item, keys: readonly string[]): z.ZodArray<Item> {
  checkKeys(keys);
  const isUnique = (list: readonly unknown[]) => {
    const texts = list.map((each) => JSON.stringify(keys.map((key) => fieldOf(each, key))));
    return new Set(texts).size === texts.length;
  };
  const schema = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys } as const;
  return z.array(item).refine(isUnique, {
    error: `expected items with different ${keys.join(' and ')}`,
    params: { [EQUIVALENT]: schema },
  });
}

/** A list of strings, numbers or booleans without duplicates. Server-side apply merges the items. */
export function listSet<Item extends z.ZodType>(item: Item): z.ZodArray<Item> {
  const isUnique = (list: readonly unknown[]) => new Set(list).size === list.length;
  const schema = { 'x-kubernetes-list-type': 'set' } as const;
  return z
    .array(item)
    .refine(isUnique, { error: 'expected items without duplicates', params: { [EQUIVALENT]: schema } });
}

/**
 * A map with a limited number of entries. Rules inside of a map need a limit, because the server estimates their cost.
 *
 * @param limits.min Default: 0.
 * @param limits.max Default: none.
 */
export function mapOf<Value extends z.ZodType>(
  value: Value,
  limits: { readonly min?: number; readonly max?: number } = {},
): z.ZodRecord<z.ZodString, Value> {
  const { min = 0, max = Infinity } = parseOptions('k8s.mapOf', limitsSchema, limits);
  const isWithin = (map: object) => {
    const { length } = Object.keys(map);
    return length >= min && length <= max;
  };
  const schema = { ...(min > 0 && { minProperties: min }), ...(max !== Infinity && { maxProperties: max }) };
  return z
    .record(z.string(), value)
    .refine(isWithin, { error: `expected ${min} to ${max} entries`, params: { [EQUIVALENT]: schema } });
}

const limitsSchema = z.strictObject({
  min: z.int().min(0).optional(),
  max: z.union([z.int().min(0), z.literal(Infinity)], 'expected an integer').optional(),
});

function checkKeys(keys: unknown): void {
  if (Array.isArray(keys) && keys.length > 0 && keys.every((key) => typeof key === 'string')) return;
  throw new TypeError(
    `k8s.listMap: keys: expected a list of names of fields, found ${foundText(keys)}: pass them as in k8s.listMap(item, ['name'])`,
  );
}

function fieldOf(value: unknown, name: string): unknown {
  return ownField(Object(value) as Readonly<Record<string, unknown>>, name);
}

/** Adds to the server's schema what zod checks already. */
function equivalent<Schema extends z.ZodType>(schema: Schema, addition: StructuralSchema): Schema {
  return schema.refine(() => true, { params: { [EQUIVALENT]: addition } });
}

/** Metadata of a list or map that server-side apply replaces as a whole: `z.array(item).meta(k8s.atomicList)`. */
export const atomicList: KubernetesMeta = { 'x-kubernetes-list-type': 'atomic' };
/** Metadata of an object or map that server-side apply replaces as a whole: `z.object({ … }).meta(k8s.atomicMap)`. */
export const atomicMap: KubernetesMeta = { 'x-kubernetes-map-type': 'atomic' };
