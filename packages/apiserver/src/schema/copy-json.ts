import type { Paused, Turn } from '../turn.ts';
import { setField } from './set-field.ts';

/** Returns a deep copy of a JSON value. Pauses, because it can be large. */
export function* copiedJson(value: unknown, turn: Turn): Paused<unknown> {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (turn.step()) yield* turn.pause();
      items.push(yield* copiedJson(item, turn));
    }
    return items;
  }
  const fields: Record<string, unknown> = {};
  for (const field of Object.keys(value)) {
    if (turn.step()) yield* turn.pause();
    const child = (value as Readonly<Record<string, unknown>>)[field];
    if (child !== undefined) setField(fields, field, yield* copiedJson(child, turn));
  }
  return fields;
}
