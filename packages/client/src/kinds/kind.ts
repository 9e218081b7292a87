import type { KubernetesObject } from './object.ts';

export type Scope = 'Namespaced' | 'Cluster';

declare const objectType: unique symbol;

/** Names a resource type, and carries the TypeScript type of its objects. Made by {@link defineKind}. */
export interface Kind<T extends KubernetesObject> {
  readonly apiVersion: string;
  readonly kind: string;
  /** The resource name in URLs, for example `configmaps`. Found by discovery when absent. */
  readonly plural?: string;
  /** Found by discovery when absent. */
  readonly scope?: Scope;
  /** Only the metadata of the objects is read; see {@link partialMetadata}. */
  readonly metadataOnly?: true;
  /** Exists for the type checker only; never set. */
  readonly [objectType]?: T;
}

export interface KindDefinition {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural?: string;
  readonly scope?: Scope;
}

/**
 * Declares a kind of object.
 *
 * @example
 * interface Widget extends KubernetesObject { spec: { size: number } }
 * const Widget = defineKind<Widget>({ apiVersion: 'example.com/v1', kind: 'Widget' });
 */
export function defineKind<T extends KubernetesObject>(definition: KindDefinition): Kind<T> {
  return Object.freeze({ ...definition });
}

/** The same kind, read as metadata only: what is watched and cached of each object is `apiVersion`, `kind` and `metadata`. */
export function partialMetadata(kind: Kind<KubernetesObject>): Kind<KubernetesObject> {
  return Object.freeze({ ...kind, metadataOnly: true as const });
}

export interface GroupVersion {
  /** `''` for the core group. */
  readonly group: string;
  readonly version: string;
}

/** Splits an `apiVersion`: `apps/v1` is group `apps`, version `v1`; `v1` is version `v1` of the core group `''`. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** The kind's text for logs, errors and map keys, for example `apps/v1 Deployment`. */
export function kindText({ apiVersion, kind, metadataOnly }: Kind<KubernetesObject>): string {
  return `${apiVersion} ${kind}${metadataOnly ? ' (metadata)' : ''}`;
}
