import { equalJson, isJsonObject } from './equal-json.ts';

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
  else if (!equalJson(before, after)) operations.push({ op: 'replace', path, value: checked(after, path) });
}

function addObjectChanges(operations: PatchOperation[], path: string, before: JsonObject, after: JsonObject): void {
  for (const name of Object.keys(before)) {
    if (after[name] === undefined || !Object.hasOwn(after, name))
      operations.push({ op: 'remove', path: at(path, name) });
  }
  for (const name of Object.keys(after)) {
    const value = after[name];
    if (value === undefined) continue;
    const field = at(path, name);
    if (Object.hasOwn(before, name)) addChanges(operations, field, before[name], value);
    else operations.push({ op: 'add', path: field, value: checked(value, field) });
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
    addChanges(operations, at(path, index), before[index], after[index] ?? null);
  }
  // From the end, because each removal moves the elements after it.
  for (let index = beforeEnd - 1; index >= both; index -= 1) operations.push({ op: 'remove', path: at(path, index) });
  for (let index = both; index < afterEnd; index += 1) {
    const element = at(path, index);
    operations.push({ op: 'add', path: element, value: checked(after[index] ?? null, element) });
  }
}

function at(path: string, name: string | number): string {
  return `${path}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Returns a value as it is in JSON. @throws {TypeError} if JSON cannot hold it. */
function checked(value: unknown, path: string): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      break;
    case 'object': {
      if (value === null) return null;
      if (Array.isArray(value))
        return value.map((element: unknown, index) => checked(element ?? null, at(path, index)));
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype === null || Object.getPrototypeOf(prototype) === null) {
        const fields = Object.entries(value).filter(([, field]) => field !== undefined);
        return Object.fromEntries(fields.map(([name, field]) => [name, checked(field, at(path, name))]));
      }
      break;
    }
    default:
  }
  const found = typeof value === 'object' && value ? value.constructor.name : `${typeof value} ${String(value)}`;
  throw new TypeError(
    `${path}: expected a value of JSON, found ${found}: set a string, number, boolean, array or object`,
  );
}
