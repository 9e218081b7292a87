import { z } from 'zod';

const namedSchema = z.enum(['embedded', 'binaries', 'kind']);

/** What a control plane is made of. */
export const backendSchema = z.enum(['auto', ...namedSchema.options]).default('auto');
export type Backend = z.infer<typeof backendSchema>;

/** Marks the class across copies of this package. */
const BRAND = Symbol.for('@mcr/envtest/UnsupportedBackendError');

/** There is no backend of the name asked for. */
export class UnsupportedBackendError extends Error {
  override readonly name = 'UnsupportedBackendError';
  readonly [BRAND] = true;
  readonly backend: string;

  constructor(backend: string, askedBy: string) {
    super(
      `${askedBy} asks for control planes of backend ${JSON.stringify(backend)}, which there is not: use "embedded", "binaries" or "kind"`,
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
 * @throws {UnsupportedBackendError} when there is no such backend.
 */
export function chooseBackend(
  backend: Backend,
  { MCR_BACKEND: wanted, KUBEBUILDER_ASSETS: assets }: NodeJS.ProcessEnv = process.env,
): Exclude<Backend, 'auto'> {
  if (backend !== 'auto') return backend;
  if (!wanted) return assets ? 'binaries' : 'embedded';
  const { data } = namedSchema.safeParse(wanted);
  if (data === undefined) throw new UnsupportedBackendError(wanted, 'environment variable MCR_BACKEND');
  return data;
}
