import { badRequest } from '../status.ts';
import type { Paused, Turn } from '../turn.ts';

/**
 * Maximum number of objects and lists in one another in the body of a request. kube-apiserver accepts 10,000 levels. This
 * server walks objects recursively, and the deepest objects of the Kubernetes API have fewer than 100 levels.
 */
export const NESTING_LIMIT = 500;

/** Reason for which a body with deeper objects is refused. Its first words are those of kube-apiserver. */
export const TOO_DEEP = `exceeded max depth: this API server accepts at most ${NESTING_LIMIT} levels of objects and lists`;

/**
 * Reports whether a JSON text contains more levels than {@link NESTING_LIMIT}. Takes linear time, and no stack.
 *
 * @param json any text: brackets in strings do not count.
 */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    switch (json.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(json, index);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        depth += 1;
        if (depth > NESTING_LIMIT) return true;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth -= 1;
        break;
      default:
    }
  }
  return false;
}

/**
 * Checks the levels of a value that was not parsed from one text, such as the result of a patch.
 *
 * @throws {StatusError} 400 if there are more than {@link NESTING_LIMIT}.
 */
export function* requireShallow(value: unknown, turn: Turn): Paused<void> {
  let level = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > NESTING_LIMIT) throw badRequest(TOO_DEEP);
    const next: object[] = [];
    for (const container of level) {
      for (const child of Object.values(container) as readonly unknown[]) {
        if (turn.step()) yield* turn.pause();
        if (isContainer(child)) next.push(child);
      }
    }
    level = next;
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Returns the index of the quote that ends a string; the length of the text if there is none. */
export function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
}
