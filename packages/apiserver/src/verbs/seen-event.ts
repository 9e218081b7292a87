import type { ResourceType } from '../resources/resource-type.ts';
import { store } from '../resources/resource-type.ts';
import type { Selection } from '../selectors/selection.ts';
import { matches } from '../selectors/selection.ts';
import type { EventType, StoreEvent } from '../storage/event-log.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';

/** An event as the client of a watch sees it. */
export interface Seen {
  readonly type: EventType;
  readonly object: StoredObject;
}

/** Returns the event for a selection: an object that stops matching counts as deleted (K-6). */
export function asSeenBy(
  { type, selection }: { readonly type: ResourceType; readonly selection: Selection },
  { type: eventType, object, previous }: StoreEvent,
): Seen | undefined {
  const before = previous !== undefined && matches(selection, previous);
  const after = eventType !== 'DELETED' && matches(selection, object);
  if (after) return { type: before ? 'MODIFIED' : 'ADDED', object };
  if (!before) return undefined;
  return { type: 'DELETED', object: eventType === 'DELETED' ? object : atVersion(type, previous, object.version) };
}

/** Returns the object as it last matched, with the version in which it stopped matching. */
function atVersion(type: ResourceType, stored: StoredObject, version: number): StoredObject {
  const object = parseStored(stored);
  object.metadata.resourceVersion = String(version);
  return store(type, object);
}
