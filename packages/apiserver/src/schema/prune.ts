import type { Paused } from '../turn.ts';
import { complete, Turn } from '../turn.ts';
import { builtInTypeName } from './built-in-schema.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';

/** Fields of every object, regardless of its schema. */
const OBJECT_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Reports whether a part of a built-in kind may have unknown fields, which are dropped without a warning. */
function isLenient(schema: Schema): boolean {
  return builtInTypeName(schema) === 'JSONSchemaPropsOrOther';
}

/**
 * Removes unknown fields in place.
 *
 * @returns the paths of the removed fields, such as `spec.containers[0].imag`.
 */
export function prune(schema: Schema, value: unknown): string[] {
  return complete(pruning(schema, value, new Turn()));
}

/** Like {@link prune}, with pauses. */
export function* pruning(schema: Schema, value: unknown, turn: Turn): Paused<string[]> {
  const removed: string[] = [];
  yield* pruneValue({ schema, path: '' }, value, removed, turn);
  return removed;
}

interface Place {
  readonly schema: Schema;
  readonly path: string;
}

function* pruneValue({ schema, path }: Place, value: unknown, removed: string[], turn: Turn): Paused<void> {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return;
    for (const [index, item] of value.entries()) {
      if (turn.step()) yield* turn.pause();
      if (isContainer(item)) yield* pruneValue({ schema: items, path: `${path}[${index}]` }, item, removed, turn);
    }
    return;
  }
  if (!isContainer(value)) return;
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties === true;
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  for (const field of Object.keys(value)) {
    if (turn.step()) yield* turn.pause();
    const child = (value as Readonly<Record<string, unknown>>)[field];
    const known = fieldSchema(schema, field);
    if (known && !isContainer(child)) continue;
    const at = path === '' ? field : `${path}.${field}`;
    if (known) {
      // A real server decodes the schema of items with a decoder that is not strict.
      yield* pruneValue({ schema: known, path: at }, child, isLenient(known) ? [] : removed, turn);
    } else if (!open && !(embedded && OBJECT_FIELDS.has(field))) {
      Reflect.deleteProperty(value, field);
      removed.push(at);
    }
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
