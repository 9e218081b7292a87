import type { KubernetesObject } from '@mcr/client';
import { foundText } from '@mcr/client';
import type { ObjectEvent } from '../event/event.ts';
import { objectEvent, type ObjectEventInput } from '../event/object-event.ts';
import { checkHandler } from '../handler/check-handler.ts';
import type { EventHandler } from '../handler/event-handler.ts';
import type { Predicate } from '../predicate/predicate.ts';
import type { ReconcileRequest } from '../reconcile/request.ts';
import { createDispatcher } from './dispatch.ts';
import type { Debounce } from './source-timing.ts';
import type { ControllerSource } from './source.ts';

/** Options of {@link channelSource}. */
export interface ChannelSourceOptions<T extends KubernetesObject> extends Debounce {
  /** Predicates that events must pass. Default: none. */
  readonly predicates?: readonly Predicate<T>[];
}

/**
 * Returns a source for the events of an iterable. Each event names its cluster; its key and metadata may be omitted. One controller reads the iterable while
 * it runs. If the iterable throws, the error is logged and the source ends. (Upstream: `source.Channel`.)
 *
 * @throws {TypeError} if `events` is not an async iterable, or `handler` is not a function.
 */
export function channelSource<T extends KubernetesObject, R = ReconcileRequest>(
  events: AsyncIterable<ObjectEventInput<T> | ObjectEvent<T>>,
  handler: EventHandler<T, R>,
  { predicates = [], debounce = 0 }: ChannelSourceOptions<T> = {},
): ControllerSource<R> {
  if (typeof (Object(events) as { readonly [Symbol.asyncIterator]?: unknown })[Symbol.asyncIterator] !== 'function') {
    throw new TypeError(`channelSource: expected an async iterable of events, found ${foundText(events)}`);
  }
  checkHandler('channelSource', handler);
  return {
    per: 'controller',
    name: 'channel',
    async start(context) {
      const { signal, log } = context;
      const { dispatch } = createDispatcher({ ...context, handler, predicates, debounce });
      const iterator = events[Symbol.asyncIterator]();
      const onAbort = () => {
        // Not awaited, because an iterator may not return before its next event.
        iterator.return?.().catch(() => undefined);
      };
      const read = async () => {
        for (let next = await iterator.next(); !next.done && !signal.aborted; next = await iterator.next()) {
          const event = objectEvent(next.value);
          await dispatch(event, event.key);
        }
      };
      signal.addEventListener('abort', onAbort, { once: true });
      void read()
        .catch((error: unknown) => {
          if (!signal.aborted) log.error('channel source failed, no more events follow', { error });
        })
        .finally(() => signal.removeEventListener('abort', onAbort));
      return { synced: Promise.resolve(), stop: () => undefined };
    },
  };
}
