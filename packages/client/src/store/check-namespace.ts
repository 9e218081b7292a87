import { foundText } from '../options/found-text.ts';

/** @throws {TypeError} if the argument `namespace` of a method is neither a string nor `undefined`. */
export function checkNamespace(method: string, namespace: unknown): void {
  if (namespace === undefined || typeof namespace === 'string') return;
  throw new TypeError(`${method}: argument "namespace": expected a string or undefined, found ${foundText(namespace)}`);
}
