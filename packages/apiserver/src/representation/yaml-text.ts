import { compareKeys } from './yaml-keys.ts';
import { scalarOf } from './yaml-scalar.ts';

/** Column after which a long text continues on the next line. */
const WIDTH = 80;

/** Longest key that is on one line with its value, in bytes. */
const KEY_LIMIT = 128;

/**
 * Returns a JSON value as YAML, laid out as a real server does: keys in the order of go-yaml, its quotes, and its lines.
 * (Upstream: `sigs.k8s.io/yaml`, which contains a copy of go-yaml v2.)
 */
export function yamlText(value: unknown): string {
  const writer = new YamlWriter();
  writer.write(value, 0, 'document');
  return writer.text;
}

class YamlWriter {
  #text = '';

  get text(): string {
    return this.#text;
  }

  /** @param indent number of spaces before the value's own lines. @param place where it is. */
  write(value: unknown, indent: number, place: 'document' | 'item' | 'field'): void {
    if (Array.isArray(value) && value.length > 0) this.#list(value, indent, place);
    else if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0) {
      this.#map(value, indent, place);
    } else {
      this.#text += place === 'document' ? '' : ' ';
      this.#scalar(value, place === 'document' ? 0 : indent + 2, false);
      this.#text += '\n';
    }
  }

  /** A list in a field has the indentation of the field. */
  #list(items: readonly unknown[], indent: number, place: 'document' | 'item' | 'field'): void {
    const own = place === 'item' ? indent + 2 : indent;
    for (const [index, item] of items.entries()) {
      this.#start(index, own, place);
      this.#text += '-';
      this.write(item, own, 'item');
    }
  }

  #map(object: object, indent: number, place: 'document' | 'item' | 'field'): void {
    const own = place === 'document' ? indent : indent + 2;
    const entries = Object.entries(object).toSorted(([a], [b]) => compareKeys(a, b));
    for (const [index, [key, value]] of entries.entries()) {
      this.#start(index, own, place);
      const isSimple = Buffer.byteLength(key) <= KEY_LIMIT && !key.includes('\n');
      if (!isSimple) this.#text += '? ';
      this.#scalar(key, own + 2, isSimple);
      if (!isSimple) this.#text += `\n${' '.repeat(own)}`;
      this.#text += ':';
      this.write(value, own, 'field');
    }
  }

  /** Starts an entry. The first entry of an item is on the line of its hyphen. */
  #start(index: number, indent: number, place: 'document' | 'item' | 'field'): void {
    if (place === 'item' && index === 0) {
      this.#text += ' ';
      return;
    }
    if (place === 'field' && index === 0) this.#text += '\n';
    this.#text += ' '.repeat(indent);
  }

  #scalar(value: unknown, indent: number, isKey: boolean): void {
    if (typeof value !== 'string') {
      this.#text += scalarOf(value, { column: 0, indent, isKey, width: WIDTH });
      return;
    }
    const column = this.#text.length - (this.#text.lastIndexOf('\n') + 1);
    this.#text += scalarOf(value, { column, indent, isKey, width: WIDTH });
  }
}
