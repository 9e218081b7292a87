import type { KubernetesObject } from '@mcr/client';
import type { CreateEvent, DeleteEvent, GenericEvent, ObjectEvent, UpdateEvent } from '../event/event.ts';

/**
 * Decides whether an event is handled. A predicate that reads only the `metadata` of an event does not decode its object.
 * (Upstream: `predicate.Predicate`.)
 */
export type Predicate<T extends KubernetesObject = KubernetesObject> = (event: ObjectEvent<T>) => boolean;

/** Functions of `predicates.funcs` by event type. (Upstream: `predicate.Funcs`.) */
export interface PredicateFuncs<T extends KubernetesObject> {
  readonly create?: (event: CreateEvent<T>) => boolean;
  readonly update?: (event: UpdateEvent<T>) => boolean;
  readonly delete?: (event: DeleteEvent<T>) => boolean;
  readonly generic?: (event: GenericEvent<T>) => boolean;
}
