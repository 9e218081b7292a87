import type { KubernetesObject } from '../kinds/object.ts';
import type { InformerAddEvent, InformerDeleteEvent, InformerLeaveEvent, InformerUpdateEvent } from './informer.ts';

/** One change of an informer's store: the event that handlers receive, with its type. */
export type Notification<T extends KubernetesObject> =
  | (InformerAddEvent<T> & { readonly type: 'add' })
  | (InformerUpdateEvent<T> & { readonly type: 'update' })
  | (InformerDeleteEvent<T> & { readonly type: 'delete' })
  | (InformerLeaveEvent<T> & { readonly type: 'leave' });
