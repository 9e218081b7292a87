import type { Paused, Turn } from '../turn.ts';

/** Length of the parts of a text, in characters. */
const PART_LENGTH = 64 * 1024;

/** Returns the text that `JSON.stringify` returns for an object, as bytes. Pauses between its parts. */
export function* serializedInTurns(value: object, turn: Turn): Paused<Buffer> {
  const writer = new Writer(turn);
  yield* writer.write(value);
  return writer.bytes();
}

class Writer {
  readonly #turn: Turn;
  readonly #parts: Buffer[] = [];
  #text = '';

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  bytes(): Buffer {
    return Buffer.concat([...this.#parts, Buffer.from(this.#text)]);
  }

  *write(value: unknown): Paused<void> {
    if (typeof value !== 'object' || value === null) {
      // In a list, `undefined` is null.
      this.#add(value === undefined ? 'null' : JSON.stringify(value));
    } else if (Array.isArray(value)) {
      yield* this.#writeList(value);
    } else {
      yield* this.#writeObject(value as Readonly<Record<string, unknown>>);
    }
  }

  *#writeList(items: readonly unknown[]): Paused<void> {
    let separator = '[';
    for (const item of items) {
      if (this.#turn.step()) yield* this.#turn.pause();
      this.#add(separator);
      yield* this.write(item);
      separator = ',';
    }
    this.#add(separator === '[' ? '[]' : ']');
  }

  *#writeObject(object: Readonly<Record<string, unknown>>): Paused<void> {
    let separator = '{';
    for (const field of Object.keys(object)) {
      if (this.#turn.step()) yield* this.#turn.pause();
      const value = object[field];
      if (value === undefined) continue;
      this.#add(`${separator}${JSON.stringify(field)}:`);
      yield* this.write(value);
      separator = ',';
    }
    this.#add(separator === '{' ? '{}' : '}');
  }

  #add(text: string): void {
    this.#text += text;
    if (this.#text.length < PART_LENGTH) return;
    this.#parts.push(Buffer.from(this.#text));
    this.#text = '';
  }
}
