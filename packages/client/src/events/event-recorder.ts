import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';

/** Something that happened to an object, for users who inspect the object. */
export interface EventDetails {
  readonly type: 'Normal' | 'Warning';
  /** Why it happened: one CamelCase word, at most 128 characters. */
  readonly reason: string;
  /** Description of what happened. Truncated to 1,024 bytes. */
  readonly note: string;
  /** Action of the component: one CamelCase word, at most 128 characters. Default: the reason. */
  readonly action?: string;
  /** A related object. */
  readonly related?: DeepReadonly<KubernetesObject>;
}

/** Records events about objects of one cluster as one component. (Upstream: client-go's `events.EventRecorder`.) */
export interface EventRecorder {
  /**
   * Records an event in the background. Never throws and never blocks: events that cannot be recorded are logged and
   * dropped.
   *
   * @param regarding the object of the event. The event is created in its namespace, or in `default` if it has none.
   */
  event(regarding: DeepReadonly<KubernetesObject>, details: EventDetails): void;
}
