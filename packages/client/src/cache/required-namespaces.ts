/** Returns the namespaces that a field selector requires: objects must be in each of them. */
export function requiredNamespaces(fieldSelector: string): string[] {
  const terms = fieldSelector.matchAll(/(?:^|,)\s*metadata\.namespace\s*==?\s*([^,]*)/g);
  return Array.from(terms, ([, namespace = '']) => namespace.trim());
}
