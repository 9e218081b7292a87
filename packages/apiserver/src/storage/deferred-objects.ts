import type { StoredObject } from './stored-object.ts';

/** The first objects of a cluster, which its store creates when they are first needed. */
export interface DeferredObjects {
  /** Resources that have some. */
  readonly resources: Iterable<string>;
  /** Version of the last one. */
  readonly version: number;
  /** Creates the objects of a resource, in the order of their versions. They have no owners. */
  readonly objectsOf: (resource: string) => readonly StoredObject[];
}
