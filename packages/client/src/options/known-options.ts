/**
 * Refuses options that are not an object, and option names that are not in `known`: a misspelled option would otherwise
 * be ignored.
 *
 * @param call name of the function in errors, for example `createClient`.
 * @param example correct options, shown in errors about options that are not an object.
 * @throws {TypeError} with the unknown option names and the known ones.
 */
export function checkKnownOptions(call: string, options: unknown, known: readonly string[], example?: string): void {
  checkOptionsObject(call, options, example);
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.map((name) => JSON.stringify(name)).join(', ');
  throw new TypeError(
    `${call}: unknown ${unknown.length === 1 ? 'option' : 'options'} ${names}: use only ${known.join(', ')}`,
  );
}

/**
 * Refuses options that are not a plain object. An instance of a class, such as a provider passed instead of
 * `{ provider }`, often has no fields that are refused as unknown, and would otherwise be ignored.
 *
 * @param example correct options, shown in the error, for example `{ provider: ... }`.
 * @throws {TypeError} with the type of the value that was found.
 */
export function checkOptionsObject(call: string, options: unknown, example?: string): asserts options is object {
  if (isPlainObject(options)) return;
  const hint = example === undefined ? '' : ` such as ${example}`;
  throw new TypeError(`${call}: expected options as a plain object${hint}, found ${foundText(options)}`);
}

/** Also accepts objects from another realm, which have a different root prototype. */
function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Describes a wrong value for an error: its type, never its content. */
export function foundText(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'function') return functionText(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  const name = (Object.getPrototypeOf(value) as { readonly constructor?: { readonly name?: string } } | null)
    ?.constructor?.name;
  return name && name !== 'Object' ? `an object of class ${name}` : 'an object';
}

function functionText(value: { readonly name: string }): string {
  return /^class\b/.test(Function.prototype.toString.call(value)) ? `the class ${value.name}`.trimEnd() : 'a function';
}
