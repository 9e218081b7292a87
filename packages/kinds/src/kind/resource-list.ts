/**
 * Returns amounts of resources as strings, as in the fields of built-in kinds: `hard` of a ResourceQuota, `requests` of a Container.
 *
 * @param quantities values of `k8s.quantity()`, by the name of the resource, such as `{ cpu: 2, memory: '1Gi' }`.
 */
export function resourceList(quantities: Readonly<Record<string, number | string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, String(quantity)]));
}
