import type { ResourceType } from '../resources/resource-type.ts';
import { builtInTypeName } from '../schema/built-in-schema.ts';
import type { Schema } from '../schema/schema.ts';

/** Fields for which kubectl requests the strategy `retainKeys`: a strategic merge keeps only the keys in the patch. */
const RETAINING: ReadonlySet<string> = new Set(['strategy', 'volumes']);

/** The schemas of one OpenAPI document. Shared types are contained once and referenced. */
export class SchemaDocuments {
  readonly all: Record<string, object> = {};
  readonly #prefix: string;

  /** @param prefix prefix of references to schemas of the document. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  add(type: ResourceType): void {
    const { group, version, kind, schema } = type;
    const reversed = group === '' ? 'io.k8s.api.core' : group.split('.').reverse().join('.');
    this.all[`${reversed}.${version}.${kind}`] = {
      ...this.#document(schema),
      'x-kubernetes-group-version-kind': [{ group, version, kind }],
    };
  }

  #document(schema: Schema): object {
    const { properties, items, additionalProperties, ...rest } = schema;
    const fields = Object.entries(properties ?? {});
    return {
      ...rest,
      ...(properties && {
        properties: Object.fromEntries(fields.map(([name, field]) => [name, this.#field(name, field)])),
      }),
      ...(items && { items: this.#reference(items) }),
      ...(additionalProperties !== undefined && {
        additionalProperties:
          typeof additionalProperties === 'object' ? this.#reference(additionalProperties) : additionalProperties,
      }),
    };
  }

  /** Returns the schema of a field, with what kubectl needs to create strategic merge patches. */
  #field(name: string, schema: Schema): object {
    const reference = this.#reference(schema);
    const listType = schema['x-kubernetes-list-type'];
    const [key] = schema['x-kubernetes-list-map-keys'] ?? [];
    const strategies = [
      ...(listType === 'map' || listType === 'set' ? ['merge'] : []),
      ...(RETAINING.has(name) ? ['retainKeys'] : []),
    ];
    if (strategies.length === 0) return reference;
    return {
      ...('$ref' in reference ? { allOf: [reference] } : reference),
      'x-kubernetes-patch-strategy': strategies.join(','),
      ...(key !== undefined && { 'x-kubernetes-patch-merge-key': key }),
    };
  }

  #reference(schema: Schema): object {
    const type = builtInTypeName(schema);
    if (type === undefined) return this.#document(schema);
    const name = `io.k8s.api.${type}`;
    if (!Object.hasOwn(this.all, name)) {
      // A type can contain itself.
      this.all[name] = {};
      this.all[name] = this.#document(schema);
    }
    return { $ref: this.#prefix + name };
  }
}
