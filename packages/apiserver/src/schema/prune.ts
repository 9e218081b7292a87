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
 * Removes unknown fields in place. `additionalProperties: true` and `false` keep the fields of an object, and nothing within
 * them. (Upstream: `pkg/apiserver/schema/pruning` of apiextensions-apiserver.)
 *
 * @returns the paths of the removed fields, such as `spec.containers[0].imag`.
 */
export function prune(schema: Schema, value: unknown): string[] {
  return complete(pruning(schema, value, new Turn()));
}

/** Like {@link prune}, with pauses. */
export function* pruning(schema: Schema, value: unknown, turn: Turn): Paused<string[]> {
  const removed: string[] = [];
  yield* pruneValue({ schema, path: '', isOpen: false }, value, removed, turn);
  return removed;
}

interface Place {
  /** Schema of the value; `undefined` if no field within it is known. */
  readonly schema: Schema | undefined;
  readonly path: string;
  /** Whether the list that contains the value preserves unknown fields. */
  readonly isOpen: boolean;
}

function* pruneValue(place: Place, value: unknown, removed: string[], turn: Turn): Paused<void> {
  const { schema, path } = place;
  const isOpen = place.isOpen || schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  if (Array.isArray(value)) {
    const items = schema?.items;
    if (isOpen && !items) return;
    for (const [index, item] of value.entries()) {
      if (turn.step()) yield* turn.pause();
      if (isContainer(item))
        yield* pruneValue({ schema: items, path: `${path}[${index}]`, isOpen }, item, removed, turn);
    }
    return;
  }
  if (!isContainer(value)) return;
  const isResource = schema?.['x-kubernetes-embedded-resource'] === true;
  for (const field of Object.keys(value)) {
    if (turn.step()) yield* turn.pause();
    if (isResource && OBJECT_FIELDS.has(field)) continue;
    const child = (value as Readonly<Record<string, unknown>>)[field];
    const known = fieldSchema(schema, field);
    const at = path === '' ? field : `${path}.${field}`;
    if (!known && schema?.additionalProperties === undefined) {
      if (isOpen) continue;
      Reflect.deleteProperty(value, field);
      removed.push(at);
    } else if (isContainer(child)) {
      // A real server decodes the schema of items with a decoder that is not strict.
      const noted = known && isLenient(known) ? [] : removed;
      yield* pruneValue({ schema: known, path: at, isOpen: false }, child, noted, turn);
    }
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
