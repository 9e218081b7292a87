import type { Draft, Kind, KubernetesObject, ObjectOf } from '@mcr/client';
import { checkKind, kindText } from '@mcr/client';
import type { InputOf } from './define-kind.ts';
import { definitionOf } from './kind-definition.ts';
import { withDefaults } from './with-defaults.ts';

/**
 * Returns an object to create: the input with `apiVersion`, `kind` and the defaults of the schema, and without fields that the
 * schema does not have. It shares nothing with the input and other objects. `apply` needs no defaults, and takes the input
 * itself.
 *
 * @throws {TypeError} that names every field of the input that does not match the schema, or a field `__proto__`.
 */
export function newObject<K extends Kind<KubernetesObject>>(
  kind: K,
  input: InputOf<K>,
): Draft<ObjectOf<K>> & Pick<KubernetesObject, 'apiVersion' | 'kind'> {
  checkKind('newObject', kind);
  const definition = definitionOf(kind);
  if (!kind.schema || !definition) {
    throw new TypeError(`newObject: ${kindText(kind)} has no schema: define it with defineKind of @mcr/kinds`);
  }
  const dropped = droppedField(input);
  if (dropped !== undefined) {
    throw new TypeError(`newObject: ${dropped}: zod drops an entry of this name: rename it, or add it to the result`);
  }
  const copy = withDefaults(definition.schema, input);
  const parsed = kind.schema.safeParse(copy);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new TypeError(`newObject: the object does not match the schema of ${kindText(kind)}: ${problems.join('; ')}`);
  }
  const { apiVersion, kind: name } = kind;
  const { metadata } = copy as { readonly metadata: object };
  // The schema of the kind has the type of its objects.
  const fields = { metadata: { ...metadata }, ...(parsed.data as object) } as Draft<ObjectOf<K>>;
  return Object.assign({ apiVersion, kind: name }, fields);
}

/** Returns the path of the first field `__proto__`. */
function droppedField(value: unknown, path: readonly string[] = []): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, field] of Object.entries(value)) {
    const at = [...path, name];
    const dropped = name === '__proto__' ? at.join('.') : droppedField(field, at);
    if (dropped !== undefined) return dropped;
  }
  return undefined;
}
