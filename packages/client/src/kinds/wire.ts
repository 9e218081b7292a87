/**
 * A model type of `@kubernetes/client-node` in its wire form: timestamps are strings, and names that the generator had
 * to change (`_continue`, `_from`, `x_kubernetes_list_type`, ...) are those of the API.
 */
export type Wire<T> = T extends Date
  ? string
  : T extends (infer E)[]
    ? Wire<E>[]
    : T extends object
      ? { [K in keyof T as WireName<T, K>]: Wire<T[K]> }
      : T;

/** Returns the API's name of a field of a model type. */
export type WireName<T, K extends keyof T> = K extends `_${infer Name}`
  ? Name
  : K extends `x_kubernetes_${infer Name}`
    ? `x-kubernetes-${Hyphenated<Name>}`
    : K extends 'ref' | 'schema'
      ? // JSON schemas only. The `schema` field of a CustomResourceDefinition's version keeps its name.
        'x_kubernetes_validations' extends keyof T
        ? `$${K}`
        : K
      : K;

/** Replaces each underscore of a name by a hyphen. */
export type Hyphenated<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}-${Hyphenated<Rest>}`
  : Name;
