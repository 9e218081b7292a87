import { dirname, resolve } from 'node:path';
import { KubeconfigError } from './kubeconfig-error.ts';

/** A named entry of a kubeconfig, with its position. */
export interface Entry<T> {
  readonly value: T;
  /** For example `users[0].user`. */
  readonly field: string;
  /** File of the entry. Relative paths in the entry are resolved against its directory. */
  readonly path: string | undefined;
}

/** Returns an error about a field of an entry. */
export function fault({ field, path }: Entry<unknown>, name: string, problem: string): KubeconfigError {
  return new KubeconfigError(problem, { field: `${field}.${name}`, path });
}

/** Resolves a path in an entry to an absolute path. */
export function fromOrigin(path: string, { path: origin }: Entry<unknown>): string {
  return resolve(origin === undefined ? '.' : dirname(origin), path);
}
