import type { KubernetesMeta, StructuralSchema } from '../structural/structural-schema.ts';
import type { SchemaPath } from './schema-path.ts';

/** Types that an extension is for. A real server refuses it with another type. */
const TYPES: ReadonlyMap<keyof KubernetesMeta, readonly (string | undefined)[]> = new Map([
  ['x-kubernetes-int-or-string', [undefined]],
  ['x-kubernetes-preserve-unknown-fields', ['object', undefined]],
  ['x-kubernetes-embedded-resource', ['object']],
  ['x-kubernetes-map-type', ['object']],
  ['x-kubernetes-list-type', ['array']],
  ['x-kubernetes-list-map-keys', ['array']],
]);

/** @throws {SchemaError} if `.meta()` has an extension that does not fit the type of the schema. */
export function checkExtensions(schema: StructuralSchema, metadata: StructuralSchema, at: SchemaPath): void {
  for (const [extension, types] of TYPES) {
    if (metadata[extension] === undefined || types.includes(schema.type)) continue;
    const expected = types.map((type) => type ?? 'any').join(' or ');
    at.fail(
      `.meta({ ${JSON.stringify(extension)} }) is for the type ${expected}, and the schema has the type ${schema.type ?? 'any'}`,
      'remove it, or use the schema of k8s for it',
    );
  }
  const isOpen = [schema, metadata].some((part) => part['x-kubernetes-preserve-unknown-fields']);
  if (metadata['x-kubernetes-embedded-resource'] && !schema.properties && !isOpen) {
    at.fail('.meta({ "x-kubernetes-embedded-resource" }) needs fields', 'add fields, or use k8s.embeddedObject()');
  }
}
