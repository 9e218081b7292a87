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
      `${askedBy} asks for control planes of backend ${JSON.stringify(backend)}, which this version does not offer: use "embedded"`,
    );
    this.backend = backend;
  }
}

export function isUnsupportedBackend(error: unknown): error is UnsupportedBackendError {
  return error instanceof Error && BRAND in error;
}

/** @throws {UnsupportedBackendError} when the options or the environment ask for another backend than `embedded`. */
export function requireEmbedded(backend: Backend, environment: NodeJS.ProcessEnv = process.env): void {
  if (backend !== 'auto') {
    check(backend, 'option backend');
    return;
  }
  const { MCR_BACKEND: wanted, KUBEBUILDER_ASSETS: assets } = environment;
  if (wanted) check(wanted, 'environment variable MCR_BACKEND');
  else if (assets) check('binaries', 'environment variable KUBEBUILDER_ASSETS');
}

function check(backend: string, askedBy: string): void {
  if (backend !== 'embedded') throw new UnsupportedBackendError(backend, askedBy);
}
