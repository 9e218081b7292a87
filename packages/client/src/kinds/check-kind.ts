import { foundText } from '../options/found-text.ts';
import type { Kind } from './kind.ts';
import type { KubernetesObject } from './object.ts';

/**
 * Refuses a value that is not a kind, for example the name of a kind.
 *
 * @param call name of the function in errors, for example `kindSource`.
 * @throws {TypeError} if it is not a kind. The message names what was found and what to pass.
 */
export function checkKind(call: string, kind: unknown): asserts kind is Kind<KubernetesObject> {
  const { apiVersion, kind: name } = Object(kind) as Readonly<Record<string, unknown>>;
  if (typeof apiVersion === 'string' && typeof name === 'string') return;
  throw new TypeError(
    `${call}: expected a kind, found ${foundText(kind)}: pass a kind such as ConfigMap, or one created by defineKind`,
  );
}
