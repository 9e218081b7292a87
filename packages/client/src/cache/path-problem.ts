import { foundText } from '../options/found-text.ts';

/** Characters of path languages. A name that contains one of them is passed in an array. */
const NOT_IN_PATHS = /[[\]*\\\s]/;

/** Returns the first character of a path that belongs to a path language such as JSONPath; `undefined` if none does. */
export function characterOfPathLanguage(path: string): string | undefined {
  return NOT_IN_PATHS.exec(path)?.[0];
}

/** Describes why these are not the names of a path; `undefined` if they are. */
export function namesProblem(names: readonly unknown[]): string | undefined {
  if (names.length === 0) return 'an empty array';
  const wrong = names.findIndex((name) => typeof name !== 'string');
  if (wrong >= 0) return `a path with ${foundText(names[wrong])} as a name`;
  return names.includes('') ? 'a path with an empty name' : undefined;
}
