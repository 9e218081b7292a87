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
