import { dirname, resolve } from 'node:path';
import { KubeconfigError } from './kubeconfig-error.ts';

/** A named part of a kubeconfig, and where it stands. */
export interface Entry<T> {
  readonly value: T;
  /** For example `users[0].user`. */
  readonly field: string;
  /** The file that it came from; relative paths within it start from there. */
  readonly path: string | undefined;
}

/** What is wrong with a field of an entry. */
export function fault({ field, path }: Entry<unknown>, name: string, problem: string): KubeconfigError {
  return new KubeconfigError(problem, { field: `${field}.${name}`, path });
}

/** The absolute form of a path that stands in an entry. */
export function fromOrigin(path: string, { path: origin }: Entry<unknown>): string {
  return resolve(origin === undefined ? '.' : dirname(origin), path);
}
