import type { KubernetesObject } from '@mcr/client';
import { decodedObject } from '@mcr/client';
import type { CreateEvent, DeleteEvent, GenericEvent, ObjectEvent, UpdateEvent } from './event.ts';

/** An {@link ObjectEvent} without the fields that {@link objectEvent} adds. */
export type ObjectEventInput<T extends KubernetesObject = KubernetesObject> =
  | Omit<CreateEvent<T>, 'key' | 'metadata'>
  | Omit<UpdateEvent<T>, 'key' | 'metadata' | 'oldMetadata'>
  | Omit<DeleteEvent<T>, 'key' | 'metadata'>
  | Omit<GenericEvent<T>, 'key' | 'metadata'>;

/**
 * Returns an event with the key and metadata of its objects, for example for the tests of a handler. Returns an event of a
 * source as is.
 *
 * @example
 * await handler(objectEvent({ type: 'generic', clusterName: 'eu-1', object }), { queue });
 */
export function objectEvent<T extends KubernetesObject>(event: ObjectEventInput<T> | ObjectEvent<T>): ObjectEvent<T> {
  if ('metadata' in event) return event;
  const decoded = decodedObject(event.object);
  if (event.type !== 'update') return { ...event, ...decoded };
  return { ...event, ...decoded, oldMetadata: event.oldObject.metadata };
}
