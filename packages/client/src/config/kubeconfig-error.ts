import { ERROR_BRAND, hasBrand, McrError } from '../errors/mcr-error.ts';

export interface KubeconfigErrorOptions extends ErrorOptions {
  /** Path of the invalid field, for example `users[0].user.exec`. Absent if the error is about the whole text. */
  readonly field?: string | undefined;
  /** Path of the file, if the kubeconfig was read from a file. */
  readonly path?: string | undefined;
}

/**
 * Thrown for an invalid kubeconfig. The message names the field, and never contains a value that may be a credential.
 */
export class KubeconfigError extends McrError {
  override readonly name = 'KubeconfigError';
  readonly [ERROR_BRAND] = '@mcr/client/KubeconfigError';
  /** Path of the invalid field, for example `users[0].user.exec`. */
  readonly field: string | undefined;

  constructor(problem: string, { field, path, ...options }: KubeconfigErrorOptions = {}) {
    super(
      [path === undefined ? 'kubeconfig' : `kubeconfig ${path}`, field, problem].filter(Boolean).join(': '),
      options,
    );
    this.field = field;
  }
}

/** Whether `error` is a {@link KubeconfigError}. */
export function isKubeconfigError(error: unknown): error is KubeconfigError {
  return hasBrand<KubeconfigError>(error, '@mcr/client/KubeconfigError');
}
