import { hasMetadata } from '../kinds/has-metadata.ts';
import { kindText, type Kind } from '../kinds/kind.ts';
import type { DeepReadonly, Draft, KubernetesList, KubernetesObject } from '../kinds/object.ts';
import { ApiError } from './api-error.ts';

export const JSON_TYPE = 'application/json';

/** What to ask for of objects of a kind: all of them or, of a metadata-only kind, the metadata. */
export function acceptOf(
  kind: Kind<KubernetesObject>,
  partial: 'PartialObjectMetadata' | 'PartialObjectMetadataList',
): string {
  return kind.metadataOnly ? `${JSON_TYPE};as=${partial};g=meta.k8s.io;v=v1` : JSON_TYPE;
}

/** Objects carry their own kind: a list leaves it out, and a metadata-only read says `PartialObjectMetadata`. */
export function ofKind<T extends KubernetesObject>({ apiVersion, kind }: Kind<T>, object: T): T {
  object.apiVersion = apiVersion;
  object.kind = kind;
  return object;
}

/**
 * What the server answered to a list, each item with its kind.
 *
 * @throws {ApiError} when it is not a list of objects.
 */
export function listOf<T extends KubernetesObject>(kind: Kind<T>, answer: unknown): KubernetesList<T> {
  if (!isList<T>(answer)) {
    throw new ApiError({ code: 200, message: `the server's answer is not a list of ${kindText(kind)}` });
  }
  const items = answer.items ?? [];
  for (const item of items) ofKind(kind, item);
  return { ...answer, items };
}

/** Go writes a slice that was never made as `null`. */
type ListAnswer<T> = Omit<KubernetesList<T>, 'items'> & { readonly items: T[] | null };

function isList<T extends KubernetesObject>(value: unknown): value is ListAnswer<T> {
  if (!hasMetadata(value) || !('items' in value)) return false;
  return value.items === null || (Array.isArray(value.items) && value.items.every(hasMetadata));
}

/** What the client itself reads of a draft. (The compiler sees no field of a deeply read-only type parameter.) */
export interface DraftFields {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

/** @throws {TypeError} when the draft says that it is of another kind. */
export function bodyOf<T extends KubernetesObject>(kind: Kind<T>, object: DeepReadonly<Draft<T>>): string {
  const draft = object as DraftFields;
  for (const field of ['apiVersion', 'kind'] as const) {
    if (draft[field] !== undefined && draft[field] !== kind[field]) {
      throw new TypeError(`${field} is ${JSON.stringify(draft[field])}: expected an object of ${kindText(kind)}`);
    }
  }
  return JSON.stringify({ ...draft, apiVersion: kind.apiVersion, kind: kind.kind });
}

/** With its question mark; without what is undefined. */
export function queryText(query: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size > 0 ? `?${parameters.toString()}` : '';
}
