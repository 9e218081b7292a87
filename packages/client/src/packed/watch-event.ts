import type { KubernetesObject } from '../kinds/object.ts';
import type { Status } from '../response/api-error.ts';

/** Marks a position in a watch: all changes up to `resourceVersion` have been sent. */
export interface Bookmark {
  apiVersion: string;
  kind: string;
  metadata: {
    resourceVersion: string;
    annotations?: Record<string, string>;
  };
}

/** One line of a watch stream. */
export type WatchEvent<T extends KubernetesObject> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  | { type: 'BOOKMARK'; object: Bookmark }
  | { type: 'ERROR'; object: Status };

/** Annotation of the bookmark that ends the initial events of a WatchList (KEP-3157). */
export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** Reports whether an event is the bookmark that ends the initial events of a WatchList. */
export function isInitialEventsEnd(event: WatchEvent<KubernetesObject>): boolean {
  return event.type === 'BOOKMARK' && event.object.metadata.annotations?.[INITIAL_EVENTS_END] === 'true';
}
