import { builtInTypeName, objectSchema } from '../schema/built-in-schema.ts';
import { isQuantity } from '../schema/built-in/notation.ts';
import type { Schema } from '../schema/schema.ts';

/**
 * The type of a value for server-side apply: what the value may be, and which of its parts can have owners of their
 * own. A type with several forms accepts each of them. (Upstream: `schema.Atom` of structured-merge-diff.)
 */
export interface Atom {
  readonly scalar?: Scalar;
  readonly list?: ListAtom;
  readonly map?: MapAtom;
}

export type Scalar = 'string' | 'numeric' | 'boolean' | 'untyped';

export interface ListAtom {
  /** An atomic list is owned as a whole; items of other lists are identified by their value or by `keys`. */
  readonly relation: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
  readonly items: Atom;
}

export interface MapAtom {
  readonly atomic: boolean;
  readonly field: (name: string) => Field | undefined;
  /** Type of fields that are not declared; `undefined` if there must be none. */
  readonly rest: Atom | undefined;
}

export interface Field {
  readonly type: Atom;
  readonly default: unknown;
}

/** A value of any form that is owned as a whole. */
const WHOLE: Atom = {
  scalar: 'untyped',
  list: {
    relation: 'atomic',
    keys: [],
    get items() {
      return WHOLE;
    },
  },
  map: {
    atomic: true,
    field: () => undefined,
    get rest() {
      return WHOLE;
    },
  },
};

/** The type of a value without a schema: lists and scalars are owned as a whole, objects field by field. */
export const DEDUCED: Atom = {
  scalar: 'untyped',
  list: { relation: 'atomic', keys: [], items: WHOLE },
  map: {
    atomic: false,
    field: () => undefined,
    get rest() {
      return DEDUCED;
    },
  },
};

/** How a schema is read: schemas of built-in kinds have formats, and those of custom kinds may keep unknown fields. */
type Reading = 'built-in' | 'custom' | 'custom, preserving';

const known: Readonly<Record<Reading, WeakMap<Schema, Atom>>> = {
  'built-in': new WeakMap(),
  custom: new WeakMap(),
  'custom, preserving': new WeakMap(),
};

/** Returns the type that a schema describes. (Upstream: `schemaconv.ToSchemaFromOpenAPI`.) */
export function atomOf(schema: Schema | undefined, { builtIn }: { readonly builtIn: boolean }): Atom {
  return schema ? read(schema, builtIn ? 'built-in' : 'custom') : DEDUCED;
}

function read(schema: Schema, reading: Reading): Atom {
  // Custom kinds refer to the type of the metadata by name, so nothing is inherited.
  const own = builtInTypeName(schema) === undefined ? reading : 'built-in';
  const preserving = schema['x-kubernetes-preserve-unknown-fields'] === true && own !== 'built-in';
  const effective = preserving ? 'custom, preserving' : own;
  const cached = known[effective].get(schema);
  if (cached) return cached;
  const atom = convert(schema, effective);
  known[effective].set(schema, atom);
  return atom;
}

function convert(schema: Schema, reading: Reading): Atom {
  switch (schema.type) {
    case 'object':
      return { map: mapAtom(schema, reading) };
    case 'array':
      return { list: listAtom(schema, reading) };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    case 'string': {
      const plain = schema.format === undefined || schema.format === '' || schema.format === 'byte';
      return { scalar: plain ? 'string' : 'untyped' };
    }
    case undefined:
      if (reading !== 'built-in') {
        return { scalar: 'untyped', list: listAtom(schema, reading), map: mapAtom(schema, reading) };
      }
      if (schema['x-kubernetes-map-type'] === 'atomic') return WHOLE;
      // Quantities are scalars. `IntOrString` has two types, and so any.
      return isQuantity(schema) ? { scalar: 'untyped' } : DEDUCED;
  }
}

function listAtom(schema: Schema, reading: Reading): ListAtom {
  const { items } = schema;
  return {
    relation: schema['x-kubernetes-list-type'] ?? 'atomic',
    keys: schema['x-kubernetes-list-map-keys'] ?? [],
    get items() {
      return items ? read(items, reading) : WHOLE;
    },
  };
}

function mapAtom(schema: Schema, reading: Reading): MapAtom {
  const { properties = {}, additionalProperties } = schema['x-kubernetes-embedded-resource']
    ? objectSchema(schema)
    : schema;
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    field(name) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!property) return undefined;
      const fallback = name === OPTIONAL_KEY ? undefined : zeroOf(schema, property, reading);
      return { type: read(property, reading), default: property.default ?? fallback };
    },
    get rest() {
      if (typeof additionalProperties === 'object') return read(additionalProperties, reading);
      if (additionalProperties !== undefined) return additionalProperties ? DEDUCED : undefined;
      // An object without declared fields may have any.
      const open = reading === 'custom, preserving' || Object.keys(properties).length === 0;
      return open ? DEDUCED : undefined;
    },
  };
}

/** Fields of Go types are never absent, unless they are optional. Items of lists can then be identified by a zero. */
function zeroOf(struct: Schema, { type }: Schema, reading: Reading): unknown {
  if (reading !== 'built-in' || builtInTypeName(struct) === OPTIONAL_NAME) return undefined;
  return type === 'string' ? '' : type === 'integer' ? 0 : undefined;
}

/** The only type of items in keyed lists whose single key is optional. */
const OPTIONAL_NAME = 'ObjectReference';

/** The only optional key among several, of the devices in the status of a ResourceClaim. */
const OPTIONAL_KEY = 'shareID';

/** Narrows a type with several forms to the form of a value. The type of `null` and of unfit values stays as is. */
export function formOf(atom: Atom, value: unknown): Atom {
  if (value === null || value === undefined) return atom;
  if (Array.isArray(value)) return atom.list ? { list: atom.list } : atom;
  if (typeof value === 'object') return atom.map ? { map: atom.map } : atom;
  return atom.scalar ? { scalar: atom.scalar } : atom;
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the type of a field of a map, or `undefined` if the map must not have it. */
export function typeOfField(map: MapAtom, name: string): Atom | undefined {
  return map.field(name)?.type ?? map.rest;
}
