import type { DeepReadonly, Kind, KubernetesObject, ObjectKey } from '@mcr/core';

/** One kind of a sample, served by the canned server and cached by the client. */
export interface SampleKind {
  /** Has a plural and a scope, so that it needs no discovery. */
  readonly kind: Kind<KubernetesObject>;
  key(index: number): ObjectKey;
  /** Returns the JSON text of the object with this index. It depends on the arguments only. */
  json(index: number, resourceVersion: number): string;
  /** The function of an index. */
  readonly indexed: (object: DeepReadonly<KubernetesObject>) => string[];
}
