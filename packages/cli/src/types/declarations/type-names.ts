/** Names that generated modules use, or that would hide a global type that they use. */
const RESERVED = ['Array', 'Infinity', 'NaN', 'Object', 'ObjectOf', 'Omit', 'Record'];

/** Gives the declarations of a module names that are different and valid. */
export class TypeNames {
  readonly #taken = new Set(RESERVED);

  /** Returns the name, with a number if it is taken. */
  type(wanted: string): string {
    const start = /^[A-Za-z_]/.test(wanted) ? wanted : `_${wanted}`;
    let name = start;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${start}${count}`;
    this.#taken.add(name);
    return name;
  }

  /** Returns the name of a kind, and its version if a module has several. */
  kind(kind: string, version: string): string {
    const name = `${kind}${version}`;
    return this.type(this.#taken.has(name) ? `${name}Kind` : name);
  }

  /** Returns the name of a constant that holds the schema of a type. */
  schema(type: string): string {
    // `HTTPRoute` becomes `httpRoute`.
    const name = type.replace(/^(?:[A-Z]+(?=[A-Z][a-z])|[A-Z]+$|[A-Z])/, (text) => text.toLowerCase());
    return this.type(`${name}Schema`);
  }

  isTaken(name: string): boolean {
    return this.#taken.has(name);
  }
}

/** Returns the name of a field as a part of the name of its type, in CamelCase. */
export function camelCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
