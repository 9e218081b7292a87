import type { Paused } from '../turn.ts';
import { complete, Turn } from '../turn.ts';
import type { Schema } from './schema.ts';
import { fieldSchema } from './schema.ts';

/**
 * Removes in place each `null` that the schema does not allow, and that has no default: a real server decodes it as
 * absence. (Upstream: `PruneNonNullableNullsWithoutDefaults`.)
 */
export function dropNulls(schema: Schema | undefined, value: unknown): void {
  complete(droppingNulls(schema, value, new Turn()));
}

/** Like {@link dropNulls}, with pauses. */
export function* droppingNulls(schema: Schema | undefined, value: unknown, turn: Turn): Paused<void> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (turn.step()) yield* turn.pause();
      yield* droppingNulls(schema?.items, item, turn);
    }
    return;
  }
  for (const field of Object.keys(value)) {
    if (turn.step()) yield* turn.pause();
    const child = (value as Readonly<Record<string, unknown>>)[field];
    const known = fieldSchema(schema, field);
    if (child === null && known && known.nullable !== true && known.default === undefined) {
      Reflect.deleteProperty(value, field);
    } else if (typeof child === 'object' && child !== null) yield* droppingNulls(known, child, turn);
  }
}
