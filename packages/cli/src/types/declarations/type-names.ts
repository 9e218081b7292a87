/** Names that generated modules use, or that would hide a global type that they use. */
const RESERVED = ['Array', 'Infinity', 'NaN', 'Object', 'ObjectOf', 'Record'];

/** Length from which names are shortened, and the number of parts that they keep: the kind, and the last ones. */
const MAX_LENGTH = 50;
const KEPT_AT_START = 1;
const KEPT_AT_END = 3;

/** Gives the declarations of a module names that are different and valid. */
export class ModuleNames {
  readonly #taken = new Set(RESERVED);

  /**
   * Returns a name for a type or a kind: the parts in CamelCase, with a number if the name is taken. A long name lacks parts in
   * its middle.
   */
  type(...parts: readonly string[]): string {
    return this.#unique(shortName(parts));
  }

  /** Returns the name of a kind, and its version if a module has several. */
  kind(kind: string, version: string): string {
    const name = `${kind}${version}`;
    return this.#unique(this.#taken.has(name) ? `${name}Kind` : name);
  }

  /** Returns a name for a constant that holds a schema. @param parts parts of the name of its type. */
  schema(...parts: readonly string[]): string {
    // `HTTPRoute` becomes `httpRoute`.
    const name = shortName(parts).replace(/^(?:[A-Z]+(?=[A-Z][a-z])|[A-Z]+$|[A-Z])/, (text) => text.toLowerCase());
    return this.#unique(`${name}Schema`);
  }

  #unique(wanted: string): string {
    const start = /^[A-Za-z_]/.test(wanted) ? wanted : `_${wanted}`;
    let name = start;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${start}${count}`;
    this.#taken.add(name);
    return name;
  }
}

function shortName(parts: readonly string[]): string {
  const words = parts.map(camelCase);
  const whole = words.join('');
  const rest = words.slice(KEPT_AT_START);
  return whole.length > MAX_LENGTH ? [...words.slice(0, KEPT_AT_START), ...rest.slice(-KEPT_AT_END)].join('') : whole;
}

function camelCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
