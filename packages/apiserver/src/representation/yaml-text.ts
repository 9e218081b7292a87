import type { Paused } from '../turn.ts';
import { PAUSE, Turn } from '../turn.ts';
import { mergeSort } from './merge-sort.ts';
import { compareKeys } from './yaml-keys.ts';
import { scalarOf } from './yaml-scalar.ts';

/** Column after which a long text continues on the next line. */
const WIDTH = 80;

/** Longest key that is on one line with its value, in bytes. */
const KEY_LIMIT = 128;

/** Length of the parts of a text, in characters. */
const PART_LENGTH = 64 * 1024;

/**
 * Returns a JSON value as YAML in parts, laid out as a real server does: keys in the order of go-yaml, its quotes, and
 * its lines. Pauses, so that other requests are served. (Upstream: `sigs.k8s.io/yaml`, which contains a copy of go-yaml
 * v2.)
 */
export function* yamlParts(value: unknown): Paused<Buffer[]> {
  const writer = new YamlWriter();
  yield* writer.write(value, 0, 'document');
  return writer.parts();
}

type Place = 'document' | 'item' | 'field';

class YamlWriter {
  readonly #parts: Buffer[] = [];
  readonly #turn = new Turn();
  /** The text after the last part. */
  #text = '';
  /** Length of the last line. */
  #column = 0;

  parts(): Buffer[] {
    return [...this.#parts, Buffer.from(this.#text)];
  }

  /** @param indent number of spaces before the value's own lines. @param place where it is. */
  *write(value: unknown, indent: number, place: Place): Paused<void> {
    if (Array.isArray(value) && value.length > 0) yield* this.#list(value, indent, place);
    else if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0) {
      yield* this.#map(value, indent, place);
    } else {
      if (place !== 'document') this.#add(' ');
      this.#scalar(value, place === 'document' ? 0 : indent + 2, false);
      this.#add('\n');
    }
    yield* this.#pause();
  }

  *#pause(): Paused<void> {
    if (!this.#turn.isOver) return;
    yield PAUSE;
    this.#turn.restart();
  }

  /** A list in a field has the indentation of the field. */
  *#list(items: readonly unknown[], indent: number, place: Place): Paused<void> {
    const own = place === 'item' ? indent + 2 : indent;
    for (const [index, item] of items.entries()) {
      this.#start(index, own, place);
      this.#add('-');
      yield* this.write(item, own, 'item');
    }
  }

  *#map(object: object, indent: number, place: Place): Paused<void> {
    const own = place === 'document' ? indent : indent + 2;
    const keyed: { key: string; value: unknown; characters: readonly string[] }[] = [];
    for (const [key, value] of Object.entries(object)) {
      keyed.push({ key, value, characters: Array.from(key) });
      yield* this.#pause();
    }
    const entries = yield* mergeSort(keyed, (a, b) => compareKeys(a.characters, b.characters));
    for (const [index, { key, value }] of entries.entries()) {
      this.#start(index, own, place);
      const isSimple = Buffer.byteLength(key) <= KEY_LIMIT && !key.includes('\n');
      if (!isSimple) this.#add('? ');
      this.#scalar(key, own + 2, isSimple);
      if (!isSimple) this.#add(`\n${' '.repeat(own)}`);
      this.#add(':');
      yield* this.write(value, own, 'field');
    }
  }

  /** Starts an entry. The first entry of an item is on the line of its hyphen. */
  #start(index: number, indent: number, place: Place): void {
    if (place === 'item' && index === 0) {
      this.#add(' ');
      return;
    }
    if (place === 'field' && index === 0) this.#add('\n');
    this.#add(' '.repeat(indent));
  }

  #scalar(value: unknown, indent: number, isKey: boolean): void {
    const column = typeof value === 'string' ? this.#column : 0;
    this.#add(scalarOf(value, { column, indent, isKey, width: WIDTH }));
  }

  #add(text: string): void {
    const lineEnd = text.lastIndexOf('\n');
    this.#column = lineEnd < 0 ? this.#column + text.length : text.length - (lineEnd + 1);
    this.#text += text;
    if (this.#text.length < PART_LENGTH) return;
    this.#parts.push(Buffer.from(this.#text));
    this.#text = '';
  }
}
