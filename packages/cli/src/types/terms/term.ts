import { type CelRule, k8s } from '@mcr/kinds';
import * as z from 'zod';

/** An argument of a call: a value of JSON, a schema, the fields of an object, or code. */
export type Argument =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'term'; readonly term: Term }
  | { readonly type: 'shape'; readonly fields: readonly (readonly [name: string, term: Term])[] }
  | { readonly type: 'code'; readonly callee: string; readonly args: readonly unknown[] };

/** A call in an expression, such as `z.string()` or `.min(1)`. */
export interface Call {
  readonly name: string;
  readonly args: readonly Argument[];
}

/** An expression that returns a schema, with the schema itself. So what is written is what was checked. */
export interface Term {
  readonly schema: z.ZodType;
  /** Name of a constant that the calls begin with. */
  readonly reference?: string;
  readonly calls: readonly Call[];
}

const value = (each: unknown): Argument => ({ type: 'value', value: each });

/** Returns the expression with another call. */
function chained(term: Term, schema: z.ZodType, name: string, ...args: Argument[]): Term {
  return { ...term, schema, calls: [...term.calls, { name: `.${name}`, args }] };
}

function called(schema: z.ZodType, name: string, ...args: Argument[]): Term {
  return { schema, calls: [{ name, args }] };
}

/** A length or a number: the types of schemas that have limits. */
type Limited = z.ZodString | z.ZodNumber | z.ZodArray;

/** Functions that build expressions. Each has the name of the function that it writes. */
export const terms = {
  string: () => called(z.string(), 'z.string'),
  pattern: (pattern: string) => called(k8s.pattern(pattern), 'k8s.pattern', value(pattern)),
  number: () => called(z.number(), 'z.number'),
  integer: (format: 'int32' | 'int64' | undefined) =>
    called(k8s.integer(format), 'k8s.integer', ...(format === undefined ? [] : [value(format)])),
  boolean: () => called(z.boolean(), 'z.boolean'),
  enum: (values: readonly string[]) => called(z.enum(values), 'z.enum', value(values)),
  literal: (values: readonly [number, ...number[]]) => called(z.literal(values), 'z.literal', value(values)),
  intOrString: () => called(k8s.intOrString(), 'k8s.intOrString'),
  raw: () => called(k8s.raw(), 'k8s.raw'),
  rawObject: () => called(k8s.rawObject(), 'k8s.rawObject'),
  object: (fields: readonly (readonly [string, Term])[]) =>
    called(z.object(shapeOf(fields)), 'z.object', { type: 'shape', fields }),
  looseObject: (fields: readonly (readonly [string, Term])[]) =>
    called(z.looseObject(shapeOf(fields)), 'z.looseObject', { type: 'shape', fields }),
  record: (each: Term) =>
    called(
      z.record(z.string(), each.schema),
      'z.record',
      { type: 'term', term: terms.string() },
      { type: 'term', term: each },
    ),
  typed: (term: Term, types: string) => called(k8s.typed(term.schema), `k8s.typed<${types}>`, { type: 'term', term }),
  mapOf: (each: Term, limits: { readonly min?: number; readonly max?: number }) =>
    called(k8s.mapOf(each.schema, limits), 'k8s.mapOf', { type: 'term', term: each }, value(limits)),
  array: (item: Term) => called(z.array(item.schema), 'z.array', { type: 'term', term: item }),
  listSet: (item: Term) => called(k8s.listSet(item.schema), 'k8s.listSet', { type: 'term', term: item }),
  listMap: (item: Term, keys: readonly string[]) =>
    called(k8s.listMap(item.schema, keys), 'k8s.listMap', { type: 'term', term: item }, value(keys)),
  onServer: (term: Term, keywords: Readonly<Record<string, unknown>>) =>
    called(k8s.onServer(term.schema, keywords), 'k8s.onServer', { type: 'term', term }, value(keywords)),
  min: (term: Term, limit: number) => chained(term, (term.schema as Limited).min(limit), 'min', value(limit)),
  max: (term: Term, limit: number) => chained(term, (term.schema as Limited).max(limit), 'max', value(limit)),
  nullable: (term: Term) => chained(term, term.schema.nullable(), 'nullable'),
  optional: (term: Term) => chained(term, term.schema.optional(), 'optional'),
  describe: (term: Term, text: string) => chained(term, term.schema.describe(text), 'describe', value(text)),
  meta: (term: Term, metadata: Readonly<Record<string, unknown>>) =>
    chained(term, term.schema.meta(metadata), 'meta', value(metadata)),
  cel: (term: Term, rules: readonly CelRule[]) =>
    chained(term, term.schema.meta(k8s.cel(...rules)), 'meta', { type: 'code', callee: 'k8s.cel', args: rules }),
  default: (term: Term, fallback: unknown) => chained(term, term.schema.default(fallback), 'default', value(fallback)),
  prefault: (term: Term, fallback: unknown) =>
    chained(term, term.schema.prefault(fallback), 'prefault', value(fallback)),
} as const;

/** Returns the constant that holds a term. */
export function reference(name: string, { schema }: Term): Term {
  return { schema, reference: name, calls: [] };
}

/** Also keeps a field named `__proto__`. */
function shapeOf(fields: readonly (readonly [string, Term])[]): Record<string, z.ZodType> {
  return Object.fromEntries(fields.map(([name, { schema }]) => [name, schema]));
}
