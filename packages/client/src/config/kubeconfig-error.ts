/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/client/KubeconfigError');

export interface KubeconfigErrorOptions extends ErrorOptions {
  /** Where it stands, for example `users[0].user.exec`. Absent when the text as a whole is at fault. */
  readonly field?: string | undefined;
  /** The file, when it came from one. */
  readonly path?: string | undefined;
}

/** A kubeconfig that cannot be used. The message names the field, and holds no value of it that may be a credential. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
  readonly [BRAND] = true;
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
  return typeof error === 'object' && error !== null && BRAND in error;
}
