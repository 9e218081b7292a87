import { StatusError } from '../status.ts';
import type { Paused, Turn } from '../turn.ts';
import { requireExact } from './exact-integers.ts';
import { endOfString, NESTING_LIMIT } from './nesting.ts';
import { noteNumberText } from './number-texts.ts';
import { setField } from './set-field.ts';

/** Minimum length of a JSON text that is read in turns, in characters. `JSON.parse` reads a shorter one faster. */
export const LONG_JSON = 64 * 1024;

/** The value of a JSON text, and its faults. */
export interface LongJson {
  readonly value: unknown;
  /** Paths of the fields that are set again. */
  readonly duplicates: readonly string[];
  /** 501: the text contains an integer that would be rounded. */
  readonly inexact: StatusError | undefined;
  /** First number beyond those of a double. */
  readonly overflowing: string | undefined;
}

/** An object or a list that is not complete, and where the next value belongs in it. */
interface Level {
  readonly container: unknown[] | Record<string, unknown>;
  /** Field whose value follows. */
  field: string;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/uy;
const WORD = /true|false|null/uy;
const SPACE = /[\t\n\r ]*/uy;

/** Texts that are not as they are written, or not valid. */
// eslint-disable-next-line no-control-regex -- JSON refuses control characters.
const SPECIAL = /[\\\u0000-\u001f]/u;

/** Length from which the part of a text keeps the whole text in memory. */
const COPIED_FROM = 13;

const INTEGER = /^-?\d{16,}$/u;

/** A text is not JSON. */
class Invalid extends Error {
  override readonly name = 'Invalid';
}

/**
 * Reads a long JSON text once, with pauses in which other requests are served: its value, as `parseNumbers` returns it, its
 * duplicate fields, and integers that are not exact.
 *
 * @returns `undefined` if the text is not valid or too deep. `JSON.parse` says where.
 */
export function* readLongJson(text: string, turn: Turn): Paused<LongJson | undefined> {
  const reader = new LongJsonReader(text);
  try {
    while (reader.reads()) if (turn.step()) yield* turn.pause();
  } catch (error) {
    if (error instanceof Invalid || error instanceof SyntaxError) return undefined;
    throw error;
  }
  const { value, inexact, overflowing } = reader;
  return { value, inexact, overflowing, duplicates: [...reader.duplicates] };
}

class LongJsonReader {
  value: unknown = undefined;
  inexact: StatusError | undefined;
  overflowing: string | undefined;
  readonly duplicates = new Set<string>();
  readonly #text: string;
  readonly #levels: Level[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the next value, or the end of an object or list. Returns whether there is more to read. */
  reads(): boolean {
    const level = this.#levels.at(-1);
    if (!level) {
      this.#readValue();
      return this.#levels.length > 0 || this.#end();
    }
    const { container } = level;
    const isList = Array.isArray(container);
    const code = this.#peek();
    if (code === (isList ? CLOSE_BRACKET : CLOSE_BRACE)) {
      this.#at += 1;
      this.#levels.pop();
      return this.#ended();
    }
    if (isList) {
      level.field = String(container.length);
    } else {
      this.#readField(level, container);
    }
    this.#readValue(level);
    // A container that was opened is read next.
    return this.#levels.at(-1) !== level || this.#separated(level);
  }

  #readField(level: Level, container: Record<string, unknown>): void {
    if (this.#peek() !== QUOTE) throw new Invalid();
    level.field = this.#readText();
    if (this.#peek() !== COLON) throw new Invalid();
    this.#at += 1;
    if (Object.hasOwn(container, level.field)) this.duplicates.add(this.#path());
  }

  #readValue(level?: Level): void {
    switch (this.#peek()) {
      case OPEN_BRACE:
        this.#open({}, level);
        break;
      case OPEN_BRACKET:
        this.#open([], level);
        break;
      case QUOTE:
        this.#put(this.#readText(), level);
        break;
      default:
        this.#readScalar(level);
    }
  }

  #open(container: Level['container'], level: Level | undefined): void {
    this.#put(container, level);
    this.#levels.push({ container, field: '' });
    if (this.#levels.length > NESTING_LIMIT) throw new Invalid();
    this.#at += 1;
  }

  #readScalar(level: Level | undefined): void {
    const word = this.#match(WORD);
    if (word !== '') {
      this.#put(word === 'null' ? null : word === 'true', level);
      return;
    }
    const source = this.#match(NUMBER);
    if (source === '') throw new Invalid();
    const value = Number(source);
    this.#put(value, level);
    if (!Number.isFinite(value)) this.overflowing ??= source;
    if (level && source !== String(value)) noteNumberText(level.container, level.field, source);
    if (INTEGER.test(source)) this.#checkExact(source);
  }

  #checkExact(source: string): void {
    try {
      requireExact(BigInt(source));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      this.inexact ??= error;
    }
  }

  #put(value: unknown, level: Level | undefined): void {
    if (!level) this.value = value;
    else if (Array.isArray(level.container)) level.container.push(value);
    else setField(level.container, level.field, value);
  }

  /** Reads what follows a value in a container. Returns whether there is more to read. */
  #separated({ container }: Level): boolean {
    const code = this.#peek();
    const close = Array.isArray(container) ? CLOSE_BRACKET : CLOSE_BRACE;
    if (code !== COMMA && code !== close) throw new Invalid();
    if (code === close) return true;
    this.#at += 1;
    if (this.#peek() === close) throw new Invalid();
    return true;
  }

  /** A container has ended. Returns whether there is more to read. */
  #ended(): boolean {
    const level = this.#levels.at(-1);
    return level ? this.#separated(level) : this.#end();
  }

  #end(): false {
    this.#peek();
    if (this.#at < this.#text.length) throw new Invalid();
    return false;
  }

  #readText(): string {
    const start = this.#at;
    const end = endOfString(this.#text, start);
    if (end >= this.#text.length) throw new Invalid();
    this.#at = end + 1;
    const raw = this.#text.slice(start + 1, end);
    if (raw.length < COPIED_FROM && !SPECIAL.test(raw)) return raw;
    return JSON.parse(this.#text.slice(start, end + 1)) as string;
  }

  /** Skips spaces, and returns the code of the next character. */
  #peek(): number {
    const code = this.#text.charCodeAt(this.#at);
    if (code > SPACE_CODE || Number.isNaN(code)) return code;
    this.#match(SPACE);
    return this.#text.charCodeAt(this.#at);
  }

  #match(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  /** Returns the path of the field that is read. */
  #path(): string {
    let path = '';
    for (const { container, field } of this.#levels) {
      path = Array.isArray(container) ? `${path}[${field}]` : path === '' ? field : `${path}.${field}`;
    }
    return path;
  }
}

const SPACE_CODE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
