import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';
import type { InformerAddEvent, InformerDeleteEvent, InformerUpdateEvent } from './informer.ts';
import { decodedObject } from './lazy-object.ts';

/** One change of an informer's store: the event that handlers receive, with its type. */
export type Notification<T extends KubernetesObject> =
  | (InformerAddEvent<T> & { readonly type: 'add' })
  | (InformerUpdateEvent<T> & { readonly type: 'update' })
  | (InformerDeleteEvent<T> & { readonly type: 'delete' });

export function added<T extends KubernetesObject>(
  object: DeepReadonly<T>,
  { initial }: { readonly initial: boolean },
): Notification<T> {
  return { ...decodedObject(object), type: 'add', initial };
}

export function updated<T extends KubernetesObject>(
  oldObject: DeepReadonly<T>,
  object: DeepReadonly<T>,
): Notification<T> {
  return { ...decodedObject(object), type: 'update', oldObject, oldMetadata: oldObject.metadata };
}

export function deleted<T extends KubernetesObject>(
  object: DeepReadonly<T>,
  { finalStateUnknown }: { readonly finalStateUnknown: boolean },
): Notification<T> {
  return { ...decodedObject(object), type: 'delete', finalStateUnknown };
}
