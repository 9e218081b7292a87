import { ERROR_BRAND, hasBrand, McrError } from '@mcr/client';
import * as z from 'zod';

const namedSchema = z.enum(['embedded', 'binaries', 'kind']);

/**
 * Implementation of a control plane. `auto` selects `$MCR_BACKEND`, else `binaries` if `$KUBEBUILDER_ASSETS` is set,
 * else `embedded`.
 */
export type Backend = 'auto' | 'embedded' | 'binaries' | 'kind';

export const backendSchema = z.enum(['auto', ...namedSchema.options] satisfies Backend[]).default('auto');

/** The requested backend does not exist. */
export class UnsupportedBackendError extends McrError {
  override readonly name = 'UnsupportedBackendError';
  readonly [ERROR_BRAND] = '@mcr/envtest/UnsupportedBackendError';
  readonly backend: string;

  constructor(backend: string, source: string) {
    super(`${source}: unknown backend ${JSON.stringify(backend)}: use "embedded", "binaries" or "kind"`);
    this.backend = backend;
  }
}

export function isUnsupportedBackend(error: unknown): error is UnsupportedBackendError {
  return hasBrand<UnsupportedBackendError>(error, '@mcr/envtest/UnsupportedBackendError');
}

/**
 * Returns the backend that the options or the environment select.
 *
 * @throws {UnsupportedBackendError} if the backend does not exist.
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
