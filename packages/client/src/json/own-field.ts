/** Returns an own field of an object. Objects inherit names such as `constructor`, which do not count. */
export function ownField<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
