/** A value that a later one of the same field replaces. */
export interface Replaced {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** JSON whose objects may name a field more than once, as Go decodes it into a struct. */
export interface MergedJson {
  readonly value: unknown;
  /** Values that Go decodes, too, so that their types matter. */
  readonly replaced: readonly Replaced[];
}

const TOKEN = /[{}[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+/gu;

/** Parses JSON with duplicate fields: two objects of one field merge, other values replace. @param text valid JSON. */
export function mergedJson(text: string): MergedJson {
  const reader = new Reader([...text.matchAll(TOKEN)].map(([token]) => token));
  return { value: reader.value([], undefined), replaced: reader.replaced };
}

type Path = readonly (string | number)[];

class Reader {
  readonly replaced: Replaced[] = [];
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  /** @param earlier value of the same field. */
  value(path: Path, earlier: unknown): unknown {
    const token = this.#next();
    if (token === '{') return this.#object(path, isObject(earlier) ? earlier : {});
    return token === '[' ? this.#list(path) : (JSON.parse(token) as unknown);
  }

  #object(path: Path, fields: Record<string, unknown>): Record<string, unknown> {
    while (this.#tokens[this.#at] !== '}') {
      const field = JSON.parse(this.#next()) as string;
      this.#next();
      const at = [...path, field];
      const earlier = Object.hasOwn(fields, field) ? fields[field] : undefined;
      const value = this.value(at, earlier);
      if (earlier !== undefined && earlier !== value) this.replaced.push({ path: at, value: earlier });
      Object.defineProperty(fields, field, { value, configurable: true, enumerable: true, writable: true });
      if (this.#tokens[this.#at] === ',') this.#at += 1;
    }
    this.#at += 1;
    return fields;
  }

  #list(path: Path): unknown[] {
    const items: unknown[] = [];
    while (this.#tokens[this.#at] !== ']') {
      items.push(this.value([...path, items.length], undefined));
      if (this.#tokens[this.#at] === ',') this.#at += 1;
    }
    this.#at += 1;
    return items;
  }

  #next(): string {
    const token = this.#tokens[this.#at] ?? 'null';
    this.#at += 1;
    return token;
  }
}

/** Returns a value that contains nothing but the given one at a path. An item of a list is the only one. */
export function onlyAt(path: Path, value: unknown): unknown {
  return path.reduceRight((inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }), value);
}

/** Returns a copy of a value with another value at a path. */
export function withValueAt(root: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(root))
    return root.map((item: unknown, index) => (index === step ? withValueAt(item, rest, value) : item));
  const object = isObject(root) ? root : {};
  return { ...object, [step]: withValueAt(object[step], rest, value) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
