import { equalJson, isJsonObject } from './equal-json.ts';
import { pointer, toJson } from './to-json.ts';

/** One operation of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Returns the JSON Patch that turns `before` into `after`. It has the changed fields only, so that concurrent webhooks
 * do not overwrite each other, and integers of unchanged fields keep their digits. An `undefined` field is absent.
 *
 * @throws {TypeError} that names the field, if `after` has a value that JSON cannot hold.
 */
export function jsonPatch(before: unknown, after: unknown): PatchOperation[] {
  const operations: PatchOperation[] = [];
  addChanges(operations, '', before, after);
  return operations;
}

function addChanges(operations: PatchOperation[], path: string, before: unknown, after: unknown): void {
  if (Object.is(before, after)) return;
  if (isJsonObject(before) && isJsonObject(after)) addObjectChanges(operations, path, before, after);
  else if (Array.isArray(before) && Array.isArray(after)) addArrayChanges(operations, path, before, after);
  else if (!equalJson(before, after)) operations.push({ op: 'replace', path, value: toJson(after, path) });
}

function addObjectChanges(operations: PatchOperation[], path: string, before: JsonObject, after: JsonObject): void {
  for (const name of Object.keys(before)) {
    if (after[name] === undefined || !Object.hasOwn(after, name))
      operations.push({ op: 'remove', path: pointer(path, name) });
  }
  for (const name of Object.keys(after)) {
    const value = after[name];
    if (value === undefined) continue;
    const field = pointer(path, name);
    if (Object.hasOwn(before, name)) addChanges(operations, field, before[name], value);
    else operations.push({ op: 'add', path: field, value: toJson(value, field) });
  }
}

/** Keeps the equal elements at both ends, and changes, adds or removes those between them. */
function addArrayChanges(
  operations: PatchOperation[],
  path: string,
  before: readonly unknown[],
  after: readonly unknown[],
): void {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && equalJson(before[start], after[start])) start += 1;
  let end = 0;
  while (end < shorter - start && equalJson(before.at(-1 - end), after.at(-1 - end))) end += 1;
  const [beforeEnd, afterEnd] = [before.length - end, after.length - end];
  const both = Math.min(beforeEnd, afterEnd);
  for (let index = start; index < both; index += 1) {
    addChanges(operations, pointer(path, index), before[index], after[index] ?? null);
  }
  // From the end, because each removal moves the elements after it.
  for (let index = beforeEnd - 1; index >= both; index -= 1)
    operations.push({ op: 'remove', path: pointer(path, index) });
  for (let index = both; index < afterEnd; index += 1) {
    const element = pointer(path, index);
    operations.push({ op: 'add', path: element, value: toJson(after[index] ?? null, element) });
  }
}
