import type { PatchOperation } from './json-patch.ts';

/** Applies a patch of `jsonPatch` to the value that it was computed for. Does not change the value. */
export function applyJsonPatch<T>(value: T, operations: readonly PatchOperation[]): T {
  const root: Record<string, unknown> = { '': structuredClone(value) };
  for (const operation of operations) apply(root, operation);
  return root[''] as T;
}

function apply(root: Record<string, unknown>, operation: PatchOperation): void {
  const names = operation.path.split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = names.pop() ?? '';
  const holder = names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], root);
  if (Array.isArray(holder)) {
    const removed = operation.op === 'add' ? 0 : 1;
    const added = operation.op === 'remove' ? [] : [structuredClone(operation.value)];
    holder.splice(Number(last), removed, ...added);
  } else if (operation.op === 'remove') {
    Reflect.deleteProperty(holder as object, last);
  } else {
    const value: unknown = structuredClone(operation.value);
    Object.defineProperty(holder, last, { value, enumerable: true, configurable: true, writable: true });
  }
}
