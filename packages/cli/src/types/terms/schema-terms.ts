import { isDeepStrictEqual } from 'node:util';
import { type StructuralSchema, structuralSchemaOf } from '@mcr/kinds';
import { type Term, terms } from './term.ts';

/** Keywords that the place of a schema has, and not its core: the same core can be in several places. */
const AT_PLACE = ['default', 'description', 'title'] as const;

/** Keywords that `.meta()` adds. */
const METADATA = ['x-kubernetes-validations', 'x-kubernetes-map-type', 'x-kubernetes-embedded-resource'] as const;

/** Deepest level that is written as a schema of zod, which is nested more deeply than the structural schema. */
export const MAX_LEVELS = 20;

const OPTIONS = { subject: 'the generated kind', refinements: 'refuse' } as const;

/** Terms of the schemas inside of a schema. */
export interface InnerTerms {
  readonly fields: readonly (readonly [name: string, term: Term])[];
  readonly items: Term | undefined;
  readonly values: Term | undefined;
}

/** A schema without what belongs to its place. */
export function coreOf(node: StructuralSchema): StructuralSchema {
  return without(node, AT_PLACE);
}

/**
 * Returns an expression that a server reads as the schema. What zod cannot express is set for the server only; if the schema as
 * a whole cannot be expressed, zod accepts any value.
 *
 * @param core a schema in canonical form, without what belongs to its place.
 */
export function coreTerm(core: StructuralSchema, inner: InnerTerms): Term {
  const wanted = without(core, METADATA);
  for (const candidate of candidates(core, inner)) {
    const term = attempt(candidate, wanted);
    if (term) return withMetadata(term, core);
  }
  return rawTerm(core);
}

/** Returns an expression that checks nothing in zod, and everything on the server. */
export function rawTerm(core: StructuralSchema): Term {
  const removed = { 'x-kubernetes-preserve-unknown-fields': undefined, nullable: undefined };
  return withMetadata(terms.onServer(terms.raw(), { ...removed, ...without(core, METADATA) }), core);
}

/** Builds a term, and adds keywords that it lacks on the server. @returns `undefined` if the kinds package refuses it. */
function attempt(build: () => Term, wanted: StructuralSchema): Term | undefined {
  const built = accepted(build);
  if (!built) return undefined;
  const found = structuralSchemaOf(built.schema, 'schema', OPTIONS);
  const keywords = missing({ ...found }, { ...wanted });
  if (keywords === undefined) return undefined;
  return Object.keys(keywords).length === 0 ? built : terms.onServer(built, keywords);
}

/** @returns the keywords to set or to remove; `undefined` if the inner schemas differ. */
function missing(
  found: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const result: Record<string, unknown> = {};
  for (const keyword of [...new Set([...Object.keys(wanted), ...Object.keys(found)])].sort()) {
    const value = wanted[keyword];
    if (INNER.includes(keyword)) {
      if (value === undefined || found[keyword] === undefined) return undefined;
      if (keyword === 'properties' && !isDeepStrictEqual(namesOf(value), namesOf(found[keyword]))) return undefined;
    } else if (!isSame(keyword, found[keyword], value)) {
      result[keyword] = value;
    }
  }
  return result;
}

const INNER: readonly string[] = ['properties', 'items', 'additionalProperties'];

function namesOf(properties: unknown): string[] {
  return Object.keys(Object(properties) as object).sort();
}

function isSame(keyword: string, left: unknown, right: unknown): boolean {
  if (keyword !== 'required') return isDeepStrictEqual(left, right);
  const [a, b] = [left, right].map((names) => [...((names ?? []) as readonly string[])].sort());
  return isDeepStrictEqual(a, b);
}

function withMetadata(term: Term, core: StructuralSchema): Term {
  const { 'x-kubernetes-validations': rules } = core;
  let result = term;
  for (const keyword of ['x-kubernetes-map-type', 'x-kubernetes-embedded-resource'] as const) {
    const value = core[keyword];
    if (value !== undefined) result = terms.meta(result, { [keyword]: value });
  }
  return rules === undefined ? result : terms.cel(result, rules);
}

/** Expressions for a schema, the best first. */
function candidates(core: StructuralSchema, inner: InnerTerms): (() => Term)[] {
  const nullable = (build: () => Term): (() => Term) =>
    core.nullable && (core.type !== undefined || core['x-kubernetes-int-or-string'])
      ? () => terms.nullable(build())
      : build;
  return typeCandidates(core, inner).map(nullable);
}

function typeCandidates(core: StructuralSchema, { fields, items, values }: InnerTerms): (() => Term)[] {
  if (core['x-kubernetes-int-or-string']) return [() => terms.intOrString()];
  switch (core.type) {
    case 'string':
      return [...enumCandidates(core), () => limited(terms.pattern(core.pattern ?? ''), core), () => terms.string()];
    case 'integer':
    case 'number':
      return numberCandidates(core);
    case 'boolean':
      return [() => terms.boolean()];
    case 'array':
      return items ? arrayCandidates(core, items) : [];
    case 'object':
      return objectCandidates(core, fields, values);
    default:
      return core['x-kubernetes-preserve-unknown-fields'] && fields.length === 0 ? [() => terms.raw()] : [];
  }
}

function enumCandidates(core: StructuralSchema): (() => Term)[] {
  const { enum: all = [], pattern } = core;
  const texts = all.filter((each) => typeof each === 'string');
  if (texts.length > 0 && new Set(texts).size === all.length) return [() => terms.enum(texts)];
  return pattern === undefined ? [() => limited(terms.string(), core)] : [];
}

function limited(term: Term, { minLength, maxLength }: StructuralSchema): Term {
  const least = minLength === undefined ? term : terms.min(term, minLength);
  return maxLength === undefined ? least : terms.max(least, maxLength);
}

function numberCandidates(core: StructuralSchema): (() => Term)[] {
  const { type, format, enum: all = [], minimum, maximum, exclusiveMinimum, exclusiveMaximum } = core;
  const numbers = all.filter((each) => typeof each === 'number');
  const [first, ...others] = numbers;
  if (first !== undefined && new Set(numbers).size === all.length) return [() => terms.literal([first, ...others])];
  const known = format === 'int32' || format === 'int64' ? format : undefined;
  const plain = type === 'integer' ? () => terms.integer(known) : () => terms.number();
  const bounded = (): Term => {
    let term = plain();
    if (minimum !== undefined && !exclusiveMinimum) term = terms.min(term, minimum);
    if (maximum !== undefined && !exclusiveMaximum) term = terms.max(term, maximum);
    return term;
  };
  return [bounded, plain];
}

function arrayCandidates(core: StructuralSchema, items: Term): (() => Term)[] {
  const { 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys = [], minItems, maxItems } = core;
  const bounded = (term: Term): Term => {
    const least = minItems === undefined ? term : terms.min(term, minItems);
    return maxItems === undefined ? least : terms.max(least, maxItems);
  };
  return [
    ...(listType === 'map' ? [() => bounded(terms.listMap(items, keys))] : []),
    ...(listType === 'set' ? [() => bounded(terms.listSet(items))] : []),
    ...(listType === 'atomic'
      ? [() => terms.meta(bounded(terms.array(items)), { 'x-kubernetes-list-type': listType })]
      : []),
    () => bounded(terms.array(items)),
  ];
}

function objectCandidates(
  core: StructuralSchema,
  fields: InnerTerms['fields'],
  values: Term | undefined,
): (() => Term)[] {
  const isOpen = core['x-kubernetes-preserve-unknown-fields'] === true;
  if (fields.some(([name]) => isInherited(name))) return [() => withInheritedNames(core, fields)];
  if (fields.length > 0) return [() => (isOpen ? terms.looseObject(fields) : terms.object(fields))];
  if (!values) return [() => (isOpen ? terms.rawObject() : terms.object([]))];
  const { minProperties: min, maxProperties: max } = core;
  if (min === undefined && max === undefined) return [() => terms.record(values)];
  return [() => terms.mapOf(values, { ...(min !== undefined && { min }), ...(max !== undefined && { max }) })];
}

/** Whether every object has the field, such as `constructor`. zod would read the inherited value. */
export function isInherited(name: string): boolean {
  return name in Object.prototype;
}

/** Returns an object whose fields with inherited names are checked by the server only. */
function withInheritedNames(core: StructuralSchema, fields: InnerTerms['fields']): Term {
  const own = fields.filter(([name]) => !isInherited(name));
  const { properties, required } = core;
  return terms.onServer(terms.looseObject(own), {
    ...{ properties, ...(required && { required }) },
    ...(!core['x-kubernetes-preserve-unknown-fields'] && { 'x-kubernetes-preserve-unknown-fields': undefined }),
  });
}

function without(node: StructuralSchema, keywords: readonly string[]): StructuralSchema {
  return Object.fromEntries(Object.entries(node).filter(([keyword]) => !keywords.includes(keyword)));
}

/** The keyword `default`: how it is written, and whether zod adds it. */
export interface PlacedTerm {
  readonly term: Term;
  /** Whether zod adds the default, so that the field is always there. */
  readonly hasDefault: boolean;
}

/** Adds what belongs to the place of a schema: its description and its default. */
export function placedTerm(core: Term, node: StructuralSchema): PlacedTerm {
  const term = described(core, node);
  if (!Object.hasOwn(node, 'default')) return { term, hasDefault: false };
  // Parsed documents have objects without a prototype.
  const fallback: unknown = structuredClone(node.default);
  for (const build of [() => terms.default(term, fallback), () => terms.prefault(term, fallback)]) {
    const found = accepted(build);
    if (found && isDeepStrictEqual(structuralSchemaOf(found.schema, 'schema', OPTIONS).default, fallback)) {
      return { term: found, hasDefault: true };
    }
  }
  return { term: itemTerm(core, node), hasDefault: false };
}

/** Adds what belongs to the place of an item or a value of a map. The server sets its default in place of null, and zod does not. */
export function itemTerm(core: Term, node: StructuralSchema): Term {
  if (!Object.hasOwn(node, 'default')) return described(core, node);
  return described(terms.onServer(core, { default: node.default }), node);
}

function described(core: Term, { description, title }: StructuralSchema): Term {
  const titled = title === undefined ? core : terms.meta(core, { title });
  return description === undefined ? titled : terms.describe(titled, description);
}

/** @returns `undefined` if the schema is refused. */
function accepted(build: () => Term): Term | undefined {
  try {
    const term = build();
    structuralSchemaOf(term.schema, 'schema', OPTIONS);
    return term;
  } catch (error) {
    // A SchemaError is a TypeError.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
