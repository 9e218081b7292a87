import type { Paused } from '../turn.ts';
import { PAUSE, Turn } from '../turn.ts';

/** An open list or object, and the key whose value follows. */
interface Level {
  readonly value: unknown[] | Record<string, unknown>;
  key: string | undefined;
}

/** A number or a word. */
const SCALAR = /[^\s,:[\]{}"]+/uy;

/**
 * Parses valid JSON that is in parts, with pauses in which other requests are served. A scalar must not be split between
 * parts.
 */
export function* readJson(parts: Iterable<Buffer>): Paused<unknown> {
  const turn = new Turn();
  const root: unknown[] = [];
  const levels: Level[] = [{ value: root, key: undefined }];
  const put = (value: unknown): void => {
    const level = levels.at(-1);
    if (!level) return;
    if (Array.isArray(level.value)) level.value.push(value);
    // A field named `__proto__` is a field like any other.
    else if (level.key === '__proto__') {
      Object.defineProperty(level.value, level.key, { value, configurable: true, enumerable: true, writable: true });
    } else if (level.key !== undefined) level.value[level.key] = value;
    level.key = undefined;
  };
  for (const part of parts) {
    const text = part.toString();
    for (let at = 0; at < text.length;) {
      const character = text.charAt(at);
      if (character === '{' || character === '[') {
        const value = character === '{' ? {} : [];
        put(value);
        levels.push({ value, key: undefined });
        at += 1;
      } else if (character === '}' || character === ']') {
        levels.pop();
        at += 1;
      } else if (character === ',' || character === ':' || character.trim() === '') {
        at += 1;
      } else {
        const end = scalarEnd(text, at);
        const value: unknown = JSON.parse(text.slice(at, end));
        at = end;
        const level = levels.at(-1);
        const isKey = level !== undefined && !Array.isArray(level.value) && level.key === undefined;
        if (isKey) level.key = String(value);
        else put(value);
      }
      if (!turn.isOver) continue;
      yield PAUSE;
      turn.restart();
    }
  }
  return root[0];
}

function scalarEnd(text: string, start: number): number {
  if (text.charAt(start) !== '"') {
    SCALAR.lastIndex = start;
    SCALAR.test(text);
    return SCALAR.lastIndex;
  }
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charAt(end - 1 - slashes) === '\\') slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}
