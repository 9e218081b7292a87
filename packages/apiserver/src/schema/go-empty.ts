import type { JsonObject } from '../storage/stored-object.ts';
import { emptyObjects } from './built-in/empty-objects.ts';

/** The lines of the table, by group version and kind. */
let lines: ReadonlyMap<string, string> | undefined;

const parsed = new Map<string, JsonObject>();

/**
 * Returns the JSON that Go writes for an empty object of a built-in kind, or `undefined` if its type is not known. The object
 * is frozen.
 */
export function goEmpty(apiVersion: string, kind: string): JsonObject | undefined {
  const key = `${apiVersion} ${kind}`;
  const known = parsed.get(key);
  if (known) return known;
  lines ??= readLines(emptyObjects);
  const line = lines.get(key);
  if (line === undefined) return undefined;
  const object = JSON.parse(line, (_, value: unknown) => Object.freeze(value)) as JsonObject;
  parsed.set(key, object);
  return object;
}

function readLines(table: string): ReadonlyMap<string, string> {
  const entries = table
    .split('@')
    .slice(1)
    .flatMap((section): (readonly [string, string])[] => {
      const [apiVersion = '', ...objects] = section.trimEnd().split('\n');
      return objects.map((line) => {
        const space = line.indexOf(' ');
        return [`${apiVersion} ${line.slice(0, space)}`, line.slice(space + 1)];
      });
    });
  return new Map(entries);
}
