import { inspect } from 'node:util';
import type {
  ComparedField,
  DeepReadonly,
  InformerUpdateEvent,
  KubernetesObject,
  LazyObject,
  ObjectKey,
  ObjectMeta,
} from '@mcr/client';
import { DistinctEvent, hasChanged } from '@mcr/client';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { BaseEvent, CreateEvent, DeleteEvent, UpdateEvent } from './event.ts';

/** One version of an object, without its key. */
export type LazyState<T extends KubernetesObject> = Pick<LazyObject<T>, 'object' | 'metadata'>;

/** An event that passes the fields of a lazy object on. */
abstract class LazyEvent<T extends KubernetesObject> extends DistinctEvent implements BaseEvent<T> {
  readonly clusterName: ClusterName;
  readonly #object: LazyObject<T>;

  constructor(clusterName: ClusterName, object: LazyObject<T>) {
    super();
    this.clusterName = clusterName;
    this.#object = object;
  }

  get key(): ObjectKey {
    return this.#object.key;
  }

  get object(): DeepReadonly<T> {
    return this.#object.object;
  }

  get metadata(): DeepReadonly<ObjectMeta> {
    return this.#object.metadata;
  }

  /** Returns the event without its object, which may be a Secret, for `JSON.stringify` and `console.log`. */
  toJSON(): object {
    return { ...Object.fromEntries(Object.entries(this)), key: this.key };
  }

  [inspect.custom](): object {
    return this.toJSON();
  }
}

export class LazyCreateEvent<T extends KubernetesObject> extends LazyEvent<T> implements CreateEvent<T> {
  readonly type = 'create';
  readonly initial: boolean;

  constructor(clusterName: ClusterName, object: LazyObject<T>, { initial }: { readonly initial: boolean }) {
    super(clusterName, object);
    this.initial = initial;
  }
}

export class LazyDeleteEvent<T extends KubernetesObject> extends LazyEvent<T> implements DeleteEvent<T> {
  readonly type = 'delete';
  readonly finalStateUnknown: boolean;

  constructor(
    clusterName: ClusterName,
    object: LazyObject<T>,
    { finalStateUnknown }: { readonly finalStateUnknown: boolean },
  ) {
    super(clusterName, object);
    this.finalStateUnknown = finalStateUnknown;
  }
}

/** The two states of an update. */
export interface LazyUpdate<T extends KubernetesObject> {
  readonly old: LazyState<T>;
  readonly current: LazyObject<T>;
  /** The event of these states, if it can compare them without decoding them. */
  readonly event?: InformerUpdateEvent<T>;
}

export class LazyUpdateEvent<T extends KubernetesObject> extends LazyEvent<T> implements UpdateEvent<T> {
  readonly type = 'update';
  readonly #states: LazyUpdate<T>;

  constructor(clusterName: ClusterName, states: LazyUpdate<T>) {
    super(clusterName, states.current);
    this.#states = states;
  }

  /** Returns an update from the old state of the earlier event to the new state of the later one. */
  static merged<T extends KubernetesObject>(earlier: UpdateEvent<T>, later: UpdateEvent<T>): LazyUpdateEvent<T> {
    // Refers to the states and not to the events, so that an event that is merged often does not hold all those before it.
    const { old } = LazyUpdateEvent.#statesOf(earlier);
    const { current } = LazyUpdateEvent.#statesOf(later);
    return new LazyUpdateEvent<T>(later.clusterName, { old, current });
  }

  static #statesOf<T extends KubernetesObject>(event: UpdateEvent<T>): LazyUpdate<T> {
    if (event instanceof LazyUpdateEvent) return (event as LazyUpdateEvent<T>).#states;
    return { old: new OldState(event), current: event };
  }

  get oldObject(): DeepReadonly<T> {
    return this.#states.old.object;
  }

  get oldMetadata(): DeepReadonly<ObjectMeta> {
    return this.#states.old.metadata;
  }

  hasChanged(field: ComparedField): boolean {
    const { old, current, event } = this.#states;
    if (old === current) return false;
    return hasChanged(event ?? { metadata: current.metadata, oldMetadata: old.metadata }, field);
  }
}

/** The old state of an update. */
export class OldState<T extends KubernetesObject> implements LazyState<T> {
  readonly #event: Pick<InformerUpdateEvent<T>, 'oldObject' | 'oldMetadata'>;

  constructor(event: Pick<InformerUpdateEvent<T>, 'oldObject' | 'oldMetadata'>) {
    this.#event = event;
  }

  get object(): DeepReadonly<T> {
    return this.#event.oldObject;
  }

  get metadata(): DeepReadonly<ObjectMeta> {
    return this.#event.oldMetadata;
  }
}
