import type { KubernetesObject } from './object.ts';
import type { Kind } from './kind.ts';

/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/client/NoKindMatchError');

/** The cluster does not serve a kind. (Upstream: `apimachinery/pkg/api/meta.NoKindMatchError`.) */
export class NoKindMatchError extends Error {
  override readonly name = 'NoKindMatchError';
  readonly [BRAND] = true;
  readonly apiVersion: string;
  readonly kind: string;

  constructor({ apiVersion, kind }: Kind<KubernetesObject>, options?: ErrorOptions) {
    super(`the cluster does not serve kind ${kind} of ${apiVersion}: install its CustomResourceDefinition`, options);
    this.apiVersion = apiVersion;
    this.kind = kind;
  }
}

/** Whether `error` is a {@link NoKindMatchError}. */
export function isNoKindMatch(error: unknown): error is NoKindMatchError {
  return typeof error === 'object' && error !== null && BRAND in error;
}
