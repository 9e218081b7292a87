import { isDeepStrictEqual } from 'node:util';
import type { ServedSchema } from './crd-schema.ts';
import { narrowedRule } from './narrowed-rules.ts';

type Keyword = keyof ServedSchema;
/** Returns how a keyword narrows a schema; `undefined` if it does not. */
type Comparison = (before: ServedSchema, after: ServedSchema, keyword: Keyword) => string | undefined;

const same: Comparison = () => undefined;

/**
 * The keywords that are known not to narrow a schema, or when they do. A keyword that is not in this table, and differs,
 * may narrow the schema.
 */
const KEYWORDS: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  // Documentation, and rules for merging.
  ...['title', 'description', 'example', 'externalDocs', 'x-kubernetes-map-type'].map((name) => [name, same] as const),
  // Compared by `narrowedFields`.
  ...['type', 'properties', 'additionalProperties', 'items', 'required', 'default'].map(
    (name) => [name, same] as const,
  ),
  ...['x-kubernetes-int-or-string', 'x-kubernetes-preserve-unknown-fields'].map((name) => [name, same] as const),
  ['nullable', ({ nullable }, after) => (nullable && !after.nullable ? 'no longer nullable' : undefined)],
  ['format', narrowedFormat],
  ['pattern', ifSet],
  ['enum', narrowedEnum],
  ['minimum', (before, after) => narrowedBound(before, after, 'minimum', 'exclusiveMinimum', 1)],
  ['maximum', (before, after) => narrowedBound(before, after, 'maximum', 'exclusiveMaximum', -1)],
  // Compared with the bound.
  ['exclusiveMinimum', same],
  ['exclusiveMaximum', same],
  ['multipleOf', narrowedMultiple],
  ...(['minLength', 'minItems', 'minProperties'] as const).map((name) => [name, narrowedLeast] as const),
  ...(['maxLength', 'maxItems', 'maxProperties'] as const).map((name) => [name, narrowedMost] as const),
  // More parts of `allOf` accept fewer values, more parts of `anyOf` accept more.
  ['allOf', narrowedAllOf],
  ['anyOf', narrowedAnyOf],
  ['oneOf', ifSet],
  ['not', ifSet],
  ['x-kubernetes-list-type', narrowedListType],
  ['x-kubernetes-list-map-keys', narrowedKeys],
  ['x-kubernetes-validations', narrowedRule],
]);

/** Returns how each keyword narrows a schema. Fields and items are not compared. */
export function narrowedKeywords(before: ServedSchema, after: ServedSchema): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const keyword = name as Keyword;
    if (isDeepStrictEqual(before[keyword], after[keyword]) && !BOUNDS.has(name)) return [];
    const compare = KEYWORDS.get(name);
    const change = compare ? compare(before, after, keyword) : `${name} changed`;
    return change === undefined ? [] : [change];
  });
}

/** Keywords whose meaning depends on another one. */
const BOUNDS: ReadonlySet<string> = new Set(['minimum', 'maximum']);

function insteadOf(keyword: string, before: unknown, after: unknown): string {
  const text = (value: unknown) => {
    if (value === undefined) return 'none';
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return `${keyword} ${text(after)} instead of ${text(before)}`;
}

/** For a keyword that only removing is known to widen. */
function ifSet(before: ServedSchema, after: ServedSchema, keyword: Keyword): string | undefined {
  return after[keyword] === undefined ? undefined : insteadOf(keyword, before[keyword], after[keyword]);
}

function narrowedFormat(before: ServedSchema, after: ServedSchema): string | undefined {
  if (before.format === 'int32' && after.format === 'int64') return undefined;
  return ifSet(before, after, 'format');
}

function narrowedEnum(before: ServedSchema, after: ServedSchema): string | undefined {
  if (!after.enum || after.enum.length === 0) return undefined;
  const earlier = enumOf(before);
  if (!earlier) return 'limited to an enum';
  const removed = earlier.find((value) => !contains(after.enum ?? [], [value]));
  return removed === undefined ? undefined : `without the value ${JSON.stringify(removed)}`;
}

/** Returns the values of an enum. That of a field that may be null is in `allOf`. */
function enumOf({ enum: values, allOf = [] }: ServedSchema): readonly unknown[] | undefined {
  return [values, ...allOf.map((part) => part.enum)].find((each) => each && each.length > 0);
}

function narrowedAllOf(before: ServedSchema, after: ServedSchema): string | undefined {
  const earlier = enumOf(before);
  const isKept = (part: ServedSchema) =>
    contains(before.allOf ?? [], [part]) ||
    (earlier !== undefined && part.enum && Object.keys(part).length === 1 && contains(part.enum, earlier));
  return after.allOf?.every(isKept) === false ? 'allOf changed' : undefined;
}

/** @param direction 1 for a lower bound, -1 for an upper one. */
function narrowedBound(
  before: ServedSchema,
  after: ServedSchema,
  keyword: 'minimum' | 'maximum',
  exclusive: 'exclusiveMinimum' | 'exclusiveMaximum',
  direction: 1 | -1,
): string | undefined {
  const [earlier, later] = [before[keyword], after[keyword]];
  if (later === undefined) return undefined;
  if (earlier === undefined || direction * (later - earlier) > 0) return insteadOf(keyword, earlier, later);
  if (later !== earlier || !after[exclusive] || before[exclusive]) return undefined;
  return insteadOf(exclusive, before[exclusive], true);
}

function narrowedMultiple({ multipleOf }: ServedSchema, after: ServedSchema): string | undefined {
  if (after.multipleOf === undefined) return undefined;
  if (multipleOf !== undefined && [multipleOf, multipleOf / after.multipleOf].every(Number.isSafeInteger))
    return undefined;
  return insteadOf('multipleOf', multipleOf, after.multipleOf);
}

function narrowedLeast(before: ServedSchema, after: ServedSchema, keyword: Keyword): string | undefined {
  const [earlier, later] = [before[keyword] ?? 0, after[keyword] ?? 0];
  return later > earlier ? insteadOf(keyword, before[keyword], later) : undefined;
}

function narrowedMost(before: ServedSchema, after: ServedSchema, keyword: Keyword): string | undefined {
  const [earlier, later] = [before[keyword] ?? Infinity, after[keyword] ?? Infinity];
  return later < earlier ? insteadOf(keyword, before[keyword], later) : undefined;
}

/** Options that a schema with `x-kubernetes-int-or-string` may list. They add nothing. */
const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

function narrowedAnyOf({ anyOf }: ServedSchema, after: ServedSchema): string | undefined {
  if (after.anyOf === undefined) return undefined;
  if (after['x-kubernetes-int-or-string'] && isDeepStrictEqual(after.anyOf, INT_OR_STRING)) return undefined;
  return anyOf && contains(after.anyOf, anyOf) ? undefined : 'anyOf changed';
}

function narrowedListType(before: ServedSchema, after: ServedSchema): string | undefined {
  const type = after['x-kubernetes-list-type'] ?? 'atomic';
  return type === 'atomic' ? undefined : insteadOf('list type', before['x-kubernetes-list-type'], type);
}

/** Items that differ in some keys also differ in more of them. */
function narrowedKeys(before: ServedSchema, after: ServedSchema): string | undefined {
  const keys = after['x-kubernetes-list-map-keys'] ?? [];
  const earlier = before['x-kubernetes-list-map-keys'] ?? [];
  return contains(keys, earlier) ? undefined : insteadOf('list map keys', earlier, keys);
}

/** Reports whether `values` has all of `parts`. */
function contains(values: readonly unknown[], parts: readonly unknown[]): boolean {
  return parts.every((part) => values.some((value) => isDeepStrictEqual(value, part)));
}
