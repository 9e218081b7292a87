import type { StructuralSchema } from '../structural/structural-schema.ts';

/** A step of a path: into a field, or into an item of a list. */
type Step = { readonly field: string } | 'item';

const METADATA: StructuralSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    namespace: { type: 'string' },
    generateName: { type: 'string' },
    uid: { type: 'string' },
    resourceVersion: { type: 'string' },
    generation: { type: 'integer' },
    creationTimestamp: { type: 'string', format: 'date-time' },
    deletionTimestamp: { type: 'string', format: 'date-time' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    annotations: { type: 'object', additionalProperties: { type: 'string' } },
    finalizers: { type: 'array', items: { type: 'string' } },
    ownerReferences: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  },
};

const STEP = /^(?:\.(?<name>(?:[^.[\]\\]|\\.)+)|\[['"](?<quoted>[^'"]+)['"]\]|(?<item>\[(?:\d+|\*|\?\([^\]]*\))\]))/;

/** Parses `.spec.containers[0].image`, `.metadata.labels['app']` or `.status.conditions[?(@.type=="Ready")].status`. */
function stepsOf(path: string): Step[] | undefined {
  const steps: Step[] = [];
  for (let rest = path; rest !== '';) {
    const match = STEP.exec(rest);
    if (!match) return undefined;
    const { name, quoted } = match.groups ?? {};
    const field = name?.replaceAll(/\\(.)/g, '$1') ?? quoted;
    steps.push(field === undefined ? 'item' : { field });
    rest = rest.slice(match[0].length);
  }
  return steps.length > 0 ? steps : undefined;
}

/**
 * Returns the schema at a path (API reference: JSONPath, as in printer columns).
 *
 * @param root schema of the object.
 * @returns the schema. It is empty below a value of any type.
 * @throws {TypeError} that names the field that the schema does not have, or the syntax that is not supported.
 */
export function schemaAt(root: StructuralSchema, path: string): StructuralSchema {
  const steps = stepsOf(path);
  if (!steps) {
    throw new TypeError(
      `the path ${path} is not supported: use .name, ['name'], [0], [*] and [?(@.name=="value")], such as .status.ready`,
    );
  }
  let schema: StructuralSchema = { ...root, properties: { ...root.properties, metadata: METADATA } };
  for (const step of steps) {
    const next = inner(schema, step);
    if (!next) {
      const text = step === 'item' ? 'list' : `field ${step.field}`;
      throw new TypeError(`the path ${path} does not exist: the schema has no ${text} there; correct the path`);
    }
    schema = next;
  }
  return schema;
}

function inner(schema: StructuralSchema, step: Step): StructuralSchema | undefined {
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] ? {} : undefined;
  if (step === 'item') return schema.items ?? (schema.type === undefined ? isOpen : undefined);
  const { properties = {}, additionalProperties } = schema;
  return (Object.hasOwn(properties, step.field) ? properties[step.field] : additionalProperties) ?? isOpen;
}

/** Reports whether a path consists of names only: `.spec.replicas`. */
export function isSimplePath(path: string): boolean {
  return /^(?:\.[A-Za-z_][\w-]*)+$/.test(path);
}
