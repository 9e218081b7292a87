/** Whether what a server sent can be an object or a list: of neither is more relied on than that it has metadata. */
export function hasMetadata(value: unknown): value is { readonly metadata: object } {
  if (typeof value !== 'object' || value === null || !('metadata' in value)) return false;
  return typeof value.metadata === 'object' && value.metadata !== null;
}
