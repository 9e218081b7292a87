import type { TypeTable } from './notation.ts';

interface Property {
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly $ref?: string;
  readonly allOf?: readonly Property[];
  readonly items?: Property;
  readonly additionalProperties?: Property;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
}

interface Definition extends Property {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Property>>;
}

/** The part of an OpenAPI document that the table is made of. */
export interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, Definition>> };
}

const ROOTS = ['JobTemplateSpec', 'ObjectReference'];
/** Types with a schema of their own. */
const SCALARS: Readonly<Record<string, string>> = {
  IntOrString: 'intOrString',
  ObjectMeta: 'EmbeddedMeta',
  Quantity: 'quantity',
  Time: 'time',
};

/**
 * Returns the table of the types that Pod and Job templates consist of.
 *
 * Enums are left out, because a newer server has more values. The names of fields that identify items of a list are
 * required, or have a default, as a CustomResourceDefinition demands.
 */
export function typeTableOf({ components: { schemas } }: OpenApi): TypeTable {
  const definitions = new Map(
    Object.entries(schemas).map(([name, schema]) => [name.slice(name.lastIndexOf('.') + 1), schema]),
  );
  const keys = new Map<string, Set<string>>();
  const table: Record<string, string> = {
    EmbeddedMeta: 'annotations string{},finalizers string[*],labels string{},name string,namespace string',
  };
  const waiting = [...ROOTS];
  const fieldsOf = new Map<string, [name: string, property: Property][]>();
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (fieldsOf.has(name)) continue;
    const fields = Object.entries(definitions.get(name)?.properties ?? {});
    fieldsOf.set(name, fields);
    for (const [, property] of fields) {
      const inner = referred(property.items ?? property.additionalProperties ?? property);
      if (inner === undefined || Object.hasOwn(SCALARS, inner)) continue;
      waiting.push(inner);
      const known = keys.get(inner) ?? new Set();
      for (const key of property['x-kubernetes-list-map-keys'] ?? []) known.add(key);
      keys.set(inner, known);
    }
  }
  for (const [name, fields] of [...fieldsOf].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const { required = [], ...definition } = definitions.get(name) ?? {};
    const texts = fields.map(([field, property]) => {
      const isRequired = required.includes(field) ? '!' : '';
      const isKey = isRequired === '' && keys.get(name)?.has(field) === true;
      const fallback = isKey ? `=${typeof property.default === 'string' ? property.default : ''}` : '';
      return `${field}${isRequired} ${typeText(property)}${fallback}`;
    });
    table[`${name}${definition['x-kubernetes-map-type'] === 'atomic' ? '!' : ''}`] = texts.join(',');
  }
  return table;
}

function typeText(property: Property): string {
  const { items, additionalProperties } = property;
  const atomic = property['x-kubernetes-map-type'] === 'atomic' ? '!' : '';
  if (items) {
    const keys = property['x-kubernetes-list-map-keys']?.join('+') ?? '';
    const listType = property['x-kubernetes-list-type'];
    return `${scalar(items)}[${listType === 'map' ? keys : listType === 'set' ? '*' : ''}]`;
  }
  if (additionalProperties) return `${scalar(additionalProperties)}{}${atomic}`;
  return scalar(property) + atomic;
}

function referred({ $ref, allOf }: Property): string | undefined {
  const reference = $ref ?? allOf?.[0]?.$ref;
  return reference?.slice(reference.lastIndexOf('.') + 1);
}

function scalar(property: Property): string {
  const name = referred(property);
  if (name !== undefined) return SCALARS[name] ?? name;
  const { type, format } = property;
  if (type === 'integer') return format ?? 'int64';
  if (type === 'boolean') return 'bool';
  if (type === 'string') return format === 'byte' ? 'bytes' : format === 'date-time' ? 'time' : 'string';
  throw new TypeError(`the OpenAPI document has an unknown type ${JSON.stringify(property)}`);
}
