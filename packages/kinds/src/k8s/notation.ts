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
    const text = table[name] ?? table[`${name}!`];
    if (text === undefined) throw new TypeError(`the table has no type ${name}`);
    const fields = text === '' ? [] : text.split(',').map(fieldOf);
    const object = z.object(Object.fromEntries(fields));
    return Object.hasOwn(table, `${name}!`) ? object.meta({ 'x-kubernetes-map-type': 'atomic' }) : object;
  }

  function fieldOf(text: string): [name: string, schema: z.ZodType] {
    const { name, required, type, keys, map, atomic, fallback } = FIELD.exec(text)?.groups ?? {};
    if (name === undefined || type === undefined) throw new TypeError(`${text} is not a field`);
    const schema = composite(schemaOf(type), keys, map !== undefined);
    const marked = atomic === undefined ? schema : schema.meta({ 'x-kubernetes-map-type': 'atomic' });
    if (fallback !== undefined) return [name, marked.default(fallback)];
    return [name, required === undefined ? marked.optional() : marked];
  }
}

function composite(schema: z.ZodType, keys: string | undefined, isMap: boolean): z.ZodType {
  if (isMap) return z.record(z.string(), schema);
  if (keys === undefined) return schema;
  if (keys === '') return z.array(schema).meta({ 'x-kubernetes-list-type': 'atomic' });
  return keys === '*' ? listSet(schema) : listMap(schema, keys.split('+'));
}
