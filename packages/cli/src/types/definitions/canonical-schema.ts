import { foundText } from '@mcr/core/provider';
import type { StructuralSchema } from '@mcr/kinds';

/** Keywords of a structural schema, and what they hold. */
const KEYWORDS: Readonly<Record<string, keyof typeof HOLDS | 'schema'>> = {
  ...{
    type: 'string',
    title: 'string',
    description: 'string',
    format: 'string',
    nullable: 'boolean',
    default: 'value',
  },
  ...{
    enum: 'array',
    pattern: 'string',
    minLength: 'number',
    maxLength: 'number',
    minimum: 'number',
    maximum: 'number',
  },
  ...{ exclusiveMinimum: 'boolean', exclusiveMaximum: 'boolean', multipleOf: 'number', minItems: 'number' },
  ...{
    maxItems: 'number',
    uniqueItems: 'boolean',
    minProperties: 'number',
    maxProperties: 'number',
    required: 'strings',
  },
  ...{ example: 'value', externalDocs: 'value', items: 'schema', properties: 'object', additionalProperties: 'schema' },
  ...{ allOf: 'array', anyOf: 'array', oneOf: 'array', not: 'schema' },
  ...{ 'x-kubernetes-validations': 'array', 'x-kubernetes-list-type': 'string' },
  ...{ 'x-kubernetes-list-map-keys': 'strings', 'x-kubernetes-map-type': 'string' },
  ...{ 'x-kubernetes-int-or-string': 'boolean', 'x-kubernetes-preserve-unknown-fields': 'boolean' },
  ...{ 'x-kubernetes-embedded-resource': 'boolean' },
};

/** Whether a keyword holds what it should. */
const HOLDS = {
  value: () => true,
  string: (value: unknown) => typeof value === 'string',
  boolean: (value: unknown) => typeof value === 'boolean',
  number: (value: unknown) => typeof value === 'number' || typeof value === 'bigint',
  object: (value: unknown) => typeof value === 'object' && !Array.isArray(value),
  array: (value: unknown) => Array.isArray(value),
  strings: (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
} as const;
const NAMES: Readonly<Partial<Record<keyof typeof HOLDS, string>>> = { strings: 'list of strings', array: 'list' };
/** Keywords whose lists have schemas. */
const LISTS = new Set(['allOf', 'anyOf', 'oneOf']);

/** Maximum depth, and maximum number of schemas in a version. */
const MAX_DEPTH = 100;
const MAX_SCHEMAS = 200_000;

/** Keywords whose value is kept even if it is empty. */
const VALUES = new Set(['default', 'example', 'enum']);

/**
 * Returns a schema in the form in which two equal schemas are the same text:
 *
 * - Properties and keywords are in alphabetical order. Their order means nothing.
 * - `required` is in alphabetical order. It is a set.
 * - Keywords that are false, empty, or null are left out, as Go leaves them out when a server stores the definition.
 *
 * Descriptions and defaults are kept. The order of enums, rules and lists of schemas is kept, too.
 *
 * @param path path of the schema in errors, such as `spec.versions[0].schema.openAPIV3Schema`.
 * @throws {Error} that names the field, if it is not a keyword of a structural schema.
 */
export function canonicalSchema(schema: unknown, path: string): StructuralSchema {
  return canonical(schema, path, 0, { schemas: 0 });
}

function canonical(schema: unknown, path: string, depth: number, count: { schemas: number }): StructuralSchema {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw new Error(`${path}: expected a schema, which is an object`);
  }
  count.schemas += 1;
  if (depth > MAX_DEPTH) throw new Error(`${path}: the schema has more than ${MAX_DEPTH} levels`);
  if (count.schemas > MAX_SCHEMAS) throw new Error(`${path}: the version has more than ${MAX_SCHEMAS} schemas`);
  const inner = (value: unknown, name: string): StructuralSchema =>
    canonical(value, `${path}.${name}`, depth + 1, count);
  const entries = Object.entries(schema).flatMap(([keyword, value]: [string, unknown]): [string, unknown][] => {
    const type = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    if (type === undefined) throw new Error(`${path}.${keyword}: not a keyword of a structural schema: remove it`);
    if (value === undefined || value === null) return [];
    if (type === 'schema') {
      if (keyword === 'additionalProperties' && typeof value === 'boolean') {
        throw new Error(
          `${path}.${keyword}: expected a schema: write x-kubernetes-preserve-unknown-fields: true instead`,
        );
      }
      return [[keyword, inner(value, keyword)]];
    }
    if (!HOLDS[type](value)) {
      const expected = NAMES[type] ?? type;
      const article = /^[aeiou]/.test(expected) ? 'an' : 'a';
      throw new Error(`${path}.${keyword}: expected ${article} ${expected}, found ${foundText(value)}`);
    }
    if (type === 'object') {
      const map = sortedEntries(value).map(([name, each]) => [name, inner(each, `${keyword}.${name}`)] as const);
      return map.length === 0 ? [] : [[keyword, Object.fromEntries(map)]];
    }
    if (LISTS.has(keyword)) {
      const list = (value as readonly unknown[]).map((each, index) => inner(each, `${keyword}[${index}]`));
      return list.length === 0 ? [] : [[keyword, list]];
    }
    if (VALUES.has(keyword)) return [[keyword, sorted(value)]];
    if (value === false || value === '' || (Array.isArray(value) && value.length === 0)) return [];
    if (keyword === 'required') return [[keyword, Array.from(new Set(value as string[])).sort()]];
    return [[keyword, sorted(value)]];
  });
  return Object.fromEntries(entries.sort(byName));
}

/**
 * Returns the schema of a whole object in canonical form, without what every object has: the fields `apiVersion`, `kind` and
 * `metadata` are always required by the server, which also publishes descriptions of its own for them.
 */
export function canonicalRoot(schema: unknown, path: string): StructuralSchema {
  const { properties = {}, required = [], ...root } = canonicalSchema(schema, path);
  const { metadata = {}, ...others } = properties;
  const { description: _, type: __, ...limits } = metadata;
  const rest = required.filter((name) => !STANDARD.includes(name));
  return {
    ...root,
    properties: Object.fromEntries<StructuralSchema>(
      [
        ...Object.entries(others).filter(([name]) => !STANDARD.includes(name)),
        ...(Object.keys(limits).length > 0 ? [['metadata', { type: 'object', ...limits }] as const] : []),
      ].sort(byName),
    ),
    ...(rest.length > 0 && { required: rest }),
  };
}

const STANDARD: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/** Compares two entries. */
function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}

function sortedEntries(value: unknown): [string, unknown][] {
  return Object.entries(Object(value) as object).sort(byName);
}

/** Sorts the keys of a value of JSON. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(sortedEntries(value).map(([name, each]) => [name, sorted(each)]));
}
