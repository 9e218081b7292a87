import type { JsonObject } from '../../storage/stored-object.ts';

/** Sets the defaults of a value in place. */
export type SetDefaults = (value: JsonObject) => void;

/** Defaults by the name of a type in the tables of types. */
export type DefaultsTable = Readonly<Record<string, SetDefaults>>;

/** Sets absent fields, and those with the empty text, which counts as absent. */
export function fill(value: JsonObject, defaults: Readonly<JsonObject>): void {
  for (const [field, fallback] of Object.entries(defaults)) {
    const current = value[field];
    if (current === undefined || current === '') value[field] = structuredClone(fallback);
  }
}

/** Sets absent fields only: the empty text is a value of a pointer in Go. */
export function fillAbsent(value: JsonObject, defaults: Readonly<JsonObject>): void {
  for (const [field, fallback] of Object.entries(defaults)) value[field] ??= structuredClone(fallback);
}

/** Returns the object in a field; creates it if it is absent. */
export function child(value: JsonObject, field: string): JsonObject {
  const current = value[field];
  if (typeof current === 'object' && current !== null) return current as JsonObject;
  const created: JsonObject = {};
  value[field] = created;
  return created;
}

/** Returns the objects of a list; empty if there is none. */
export function items(value: JsonObject, field: string): JsonObject[] {
  const list = value[field];
  return Array.isArray(list) ? (list as JsonObject[]) : [];
}
