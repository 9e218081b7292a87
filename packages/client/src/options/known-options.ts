/**
 * Refuses options that are not an object, or have a name that is not in `known`: a misspelt option would be ignored.
 *
 * @param call name of the function in errors, for example `createClient`.
 * @throws {TypeError} that names the unknown options and the known ones.
 */
export function checkKnownOptions(call: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(`${call}: expected options as an object, found ${foundText(options)}`);
  }
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.map((name) => JSON.stringify(name)).join(', ');
  throw new TypeError(
    `${call}: unknown ${unknown.length === 1 ? 'option' : 'options'} ${names}: use only ${known.join(', ')}`,
  );
}

/** Describes a wrong value for an error: its type, never its content. */
export function foundText(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const name = (Object.getPrototypeOf(value) as { readonly constructor?: { readonly name?: string } } | null)
    ?.constructor?.name;
  return name && name !== 'Object' ? `an object of class ${name}` : 'an object';
}
