import { ERROR_BRAND, hasBrand, McrError } from '../errors/mcr-error.ts';
import type { KubernetesObject } from './object.ts';
import type { Kind } from './kind.ts';

/** The cluster does not serve a kind. (Upstream: `apimachinery/pkg/api/meta.NoKindMatchError`.) */
export class NoKindMatchError extends McrError {
  override readonly name = 'NoKindMatchError';
  readonly [ERROR_BRAND] = '@mcr/client/NoKindMatchError';
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
  return hasBrand<NoKindMatchError>(error, '@mcr/client/NoKindMatchError');
}
