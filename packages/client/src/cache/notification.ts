import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';

/** One change of an informer's store, as handlers receive it. */
export type Notification<T extends KubernetesObject> =
  | { readonly type: 'add'; readonly object: DeepReadonly<T>; readonly initial: boolean }
  | { readonly type: 'update'; readonly old: DeepReadonly<T>; readonly object: DeepReadonly<T> }
  | { readonly type: 'delete'; readonly object: DeepReadonly<T>; readonly finalStateUnknown: boolean };
