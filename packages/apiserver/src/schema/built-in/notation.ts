import type { Schema } from '../schema.ts';

/**
 * Types of the Kubernetes API by name, each with its fields: `name type, name type, …`.
 *
 * - A type is `string`, `bytes` (base64), `time`, `int`, `number`, `bool`, `quantity`, `intOrString`, `any`, or the
 *   name of another type in the tables.
 * - `T[]` is an atomic list, `T[name]` a list whose items are identified by the field `name` (several fields:
 *   `T[port+protocol]`), `string[*]` a set, `T{}` a map.
 * - `!` after a type, or after the name of a definition, makes it atomic. `?` after the name of a definition allows values
 *   that are not objects.
 * - `=TCP` is a default that identifying items needs.
 *
 * Source: the API reference and the `+listType` markers of `k8s.io/api`.
 */
export type TypeTable = Readonly<Record<string, string>>;

const SCALARS: Readonly<Record<string, Schema>> = {
  string: { type: 'string' },
  bytes: { type: 'string', format: 'byte' },
  time: { type: 'string', format: 'date-time' },
  int: { type: 'integer' },
  number: { type: 'number' },
  bool: { type: 'boolean' },
  quantity: { 'x-kubernetes-int-or-string': true },
  intOrString: { 'x-kubernetes-int-or-string': true },
  any: { 'x-kubernetes-preserve-unknown-fields': true },
};

/** Reports whether a schema is that of a quantity. */
export function isQuantity(schema: Schema): boolean {
  return schema === SCALARS['quantity'];
}

const FIELD = /^(?<name>\S+) (?<type>\w+)(?:\[(?<keys>[^\]]*)\]|(?<map>\{\}))?(?<whole>!)?(?:=(?<fallback>\w+))?$/;

export interface CompiledTypes {
  readonly schemaOf: (name: string) => Schema;
  /** Returns the name of the type with this schema, or `undefined` for a scalar. */
  readonly nameOf: (schema: Schema) => string | undefined;
}

/** Creates schemas for the types of a table, each on first use. */
export function compileTypes(table: TypeTable): CompiledTypes {
  const compiled = new Map<string, Schema>(Object.entries(SCALARS));
  const names = new Map<Schema, string>();

  function schemaOf(name: string): Schema {
    const known = compiled.get(name);
    if (known) return known;
    const whole = Object.hasOwn(table, `${name}!`);
    const loose = Object.hasOwn(table, `${name}?`);
    const text = table[whole ? `${name}!` : loose ? `${name}?` : name];
    if (text === undefined) throw new TypeError(`the tables have no type ${JSON.stringify(name)}`);
    const properties: Record<string, Schema> = {};
    const schema: Schema = {
      ...(!loose && { type: 'object' }),
      properties,
      ...(whole && { 'x-kubernetes-map-type': 'atomic' }),
    };
    // A type can contain itself.
    compiled.set(name, schema);
    names.set(schema, name);
    for (const field of text === '' ? [] : text.split(',')) {
      const [fieldName, fieldType] = fieldOf(field.trim());
      properties[fieldName] = fieldType;
    }
    return schema;
  }

  function fieldOf(text: string): [name: string, schema: Schema] {
    const { name = '', type = '', keys, map, whole, fallback } = FIELD.exec(text)?.groups ?? {};
    if (name === '') throw new TypeError(`${JSON.stringify(text)} is not a field: expected "name type"`);
    const schema = schemaOf(type);
    if (keys !== undefined) return [name, { type: 'array', items: schema, ...listType(keys) }];
    if (map !== undefined) {
      const mapType = whole !== undefined ? ({ 'x-kubernetes-map-type': 'atomic' } as const) : {};
      return [name, { type: 'object', additionalProperties: schema, ...mapType }];
    }
    if (whole !== undefined) {
      const atomic: Schema = { ...schema, 'x-kubernetes-map-type': 'atomic' };
      names.set(atomic, type);
      return [name, atomic];
    }
    return [name, fallback === undefined ? schema : { ...schema, default: fallback }];
  }

  return { schemaOf, nameOf: (schema) => names.get(schema) };
}

function listType(keys: string): Schema {
  if (keys === '') return { 'x-kubernetes-list-type': 'atomic' };
  if (keys === '*') return { 'x-kubernetes-list-type': 'set' };
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys.split('+') };
}
