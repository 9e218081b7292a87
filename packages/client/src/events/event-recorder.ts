import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';

/** Something that happened to an object, for people who ask about that object. */
export interface EventDetails {
  readonly type: 'Normal' | 'Warning';
  /** Why it happened: one word in CamelCase, of at most 128 characters. */
  readonly reason: string;
  /** What happened. Of more than 1,024 bytes, the beginning is kept. */
  readonly note: string;
  /** What was being done: one word in CamelCase, of at most 128 characters. Default: the reason. */
  readonly action?: string;
  /** A second object that has to do with it. */
  readonly related?: DeepReadonly<KubernetesObject>;
}

/** Records events about objects of one cluster, in the name of one component. (Upstream: client-go's `events.EventRecorder`.) */
export interface EventRecorder {
  /**
   * Records an event, in the background. Never throws, and never waits: what cannot be recorded is logged and left.
   *
   * @param regarding the object; its event is in its namespace, or in `default` when it has none.
   */
  event(regarding: DeepReadonly<KubernetesObject>, details: EventDetails): void;
}
