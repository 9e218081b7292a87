import { z } from 'zod';

/** What a control plane is made of. */
export const backendSchema = z.enum(['auto', 'embedded', 'binaries', 'kind']).default('auto');
export type Backend = z.infer<typeof backendSchema>;

/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/envtest/UnsupportedBackendError');

/** The backend asked for is not there. */
export class UnsupportedBackendError extends Error {
  override readonly name = 'UnsupportedBackendError';
  readonly [BRAND] = true;
  readonly backend: string;

  constructor(backend: string, askedBy: string) {
    super(
      `${askedBy} asks for control planes of backend ${JSON.stringify(backend)}, which this version does not offer: use "embedded" or "kind"`,
    );
    this.backend = backend;
  }
}

export function isUnsupportedBackend(error: unknown): error is UnsupportedBackendError {
  return error instanceof Error && BRAND in error;
}

/**
 * The backend that the options ask for, or the environment.
 *
 * @throws {UnsupportedBackendError} when it is not there.
 */
export function chooseBackend(backend: Backend, environment: NodeJS.ProcessEnv = process.env): 'embedded' | 'kind' {
  if (backend !== 'auto') return available(backend, 'option backend');
  const { MCR_BACKEND: wanted, KUBEBUILDER_ASSETS: assets } = environment;
  if (wanted) return available(wanted, 'environment variable MCR_BACKEND');
  return assets ? available('binaries', 'environment variable KUBEBUILDER_ASSETS') : 'embedded';
}

function available(backend: string, askedBy: string): 'embedded' | 'kind' {
  if (backend === 'embedded' || backend === 'kind') return backend;
  throw new UnsupportedBackendError(backend, askedBy);
}
