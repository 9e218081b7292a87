import { goTypeText, plainText, typeText } from '../apply/go-format.ts';
import { badRequest, StatusError } from '../status.ts';
import { isObject } from './merge-patch.ts';

/** Errors of strategic merge patches. A real server answers most of them with 500. (Upstream: `util/mergepatch`.) */

export function failed(message: string): StatusError {
  return new StatusError(500, undefined, message);
}

/** An unknown value of `$patch`. @param map the object that has it. */
export function unknownDirective(directive: unknown, map: object): StatusError {
  // Go's verb `%s` is for texts.
  const text = typeof directive === 'string' ? directive : `%!s(${goTypeText(directive)})`;
  return failed(`unknown patch type: ${text} in map: ${plainText(map)}`);
}

export function withoutKey(map: object, key: string): StatusError {
  return failed(`map: ${plainText(map)} does not contain declared merge key: ${key}`);
}

export function badRetainedKeys(): StatusError {
  return badRequest('invalid patch format of retainKeys');
}

/** @throws {StatusError} 500 */
export function requireList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw failed(`expected a []interface {}, but received a ${typeText(value)}`);
}

/** Requires that all elements of two lists that are merged have the same type. @throws {StatusError} 500 */
export function requireSameTypes(target: readonly unknown[], patch: readonly unknown[]): void {
  const [first, ...others] = new Set([...target, ...patch].map(elementType));
  if (first === undefined || others.length === 0) return;
  throw failed(`list element types are not identical: ${plainText([target, patch])}`);
}

function elementType(element: unknown): string {
  if (element === null) return '<nil>';
  return Number.isInteger(element) ? 'int64' : typeText(element);
}

/** Requires that all elements are objects with the merge key. @throws {StatusError} 500 */
export function requireKeys(list: readonly unknown[], key: string): void {
  for (const [index, element] of list.entries()) {
    if (!isObject(element)) throw failed(`value for key ${index} is not a map`);
    if (!Object.hasOwn(element, key)) throw withoutKey(element, key);
  }
}
