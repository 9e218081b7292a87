import * as z from 'zod';
import { bytes, intOrString, listMap, listSet, quantity, time } from './values.ts';

/**
 * Types of the Kubernetes API by name, each with its fields: `name type,name type`.
 *
 * - A type is `string`, `bytes`, `bool`, `int32`, `int64`, `time`, `quantity`, `intOrString`, or another type of the table.
 * - `T[]` is a list, `T[name]` a list whose items are identified by the field `name` (several fields: `T[port+protocol]`),
 *   `T[*]` a set, `T{}` a map.
 * - `!` after a name makes a field required. `!` after a type, or after the name of a definition, makes it atomic.
 * - `=TCP` is the default of an identifying field.
 */
export type TypeTable = Readonly<Record<string, string>>;

const SCALARS: Readonly<Record<string, () => z.ZodType>> = {
  string: () => z.string(),
  bytes,
  bool: () => z.boolean(),
  int32: () => z.int32(),
  int64: () => z.int(),
  time,
  quantity,
  intOrString,
};

const FIELD =
  /^(?<name>\w+)(?<required>!)? (?<type>\w+)(?:\[(?<keys>[^\]]*)\]|(?<map>\{\}))?(?<atomic>!)?(?:=(?<fallback>\w*))?$/;

/** Returns the fields of a type of a table, and the names of the types of their values; none for a type that it does not have. */
export function fieldTypesOf(table: TypeTable, name: string): Readonly<Record<string, string>> {
  return Object.fromEntries(fieldsOf(table, name).map((text) => [partsOf(text).name, partsOf(text).type]));
}

/** Returns a function that creates the schema of a type of the table, on first use. */
export function compileTypes(table: TypeTable): (name: string) => z.ZodType {
  const compiled = new Map<string, z.ZodType>();
  return schemaOf;

  function schemaOf(name: string): z.ZodType {
    const known = compiled.get(name);
    if (known) return known;
    const schema = SCALARS[name]?.() ?? objectOf(name);
    compiled.set(name, schema);
    return schema;
  }

  function objectOf(name: string): z.ZodType {
    const fields = fieldsOf(table, name);
    if (fields.length === 0) throw new TypeError(`the table has no type ${name}`);
    const object = z.object(Object.fromEntries(fields.map(fieldOf)));
    return Object.hasOwn(table, `${name}!`) ? object.meta({ 'x-kubernetes-map-type': 'atomic' }) : object;
  }

  function fieldOf(text: string): [name: string, schema: z.ZodType] {
    const { name, type, required, keys, map, atomic, fallback } = partsOf(text);
    const schema = composite(schemaOf(type), keys, map !== undefined);
    const marked = atomic === undefined ? schema : schema.meta({ 'x-kubernetes-map-type': 'atomic' });
    if (fallback !== undefined) return [name, marked.default(fallback)];
    return [name, required === undefined ? marked.optional() : marked];
  }
}

function fieldsOf(table: TypeTable, name: string): string[] {
  return (table[name] ?? table[`${name}!`])?.split(',') ?? [];
}

type Part = 'required' | 'keys' | 'map' | 'atomic' | 'fallback';

function partsOf(text: string): { name: string; type: string } & Partial<Record<Part, string>> {
  const { name, type, ...others } = FIELD.exec(text)?.groups ?? {};
  if (name === undefined || type === undefined) throw new TypeError(`${text} is not a field`);
  return { name, type, ...others };
}

function composite(schema: z.ZodType, keys: string | undefined, isMap: boolean): z.ZodType {
  if (isMap) return z.record(z.string(), schema);
  if (keys === undefined) return schema;
  if (keys === '') return z.array(schema).meta({ 'x-kubernetes-list-type': 'atomic' });
  return keys === '*' ? listSet(schema) : listMap(schema, keys.split('+'));
}
