import * as z from 'zod';
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
  if (isKind(kind)) return;
  throw new TypeError(
    isKind((Object(kind) as { readonly storage?: unknown }).storage)
      ? `${call}: expected one version of a kind, found a kind of several versions: pass its property storage, or another version`
      : `${call}: expected a kind, found ${foundText(kind)}: pass a kind such as ConfigMap, or one created by defineKind`,
  );
}

/** Accepts a kind. */
export const kindSchema = z.custom<Kind<KubernetesObject>>(isKind, 'expected a Kind from defineKind');

function isKind(value: unknown): value is Kind<KubernetesObject> {
  const { apiVersion, kind: name } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof apiVersion === 'string' && typeof name === 'string';
}
