import { kindText, type Kind } from '../kinds/kind.ts';
import type { DeepReadonly, Draft, KubernetesObject } from '../kinds/object.ts';

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
