import type { KubernetesObject, ObjectKey } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ObjectEvent } from '../event/event.ts';
import { defaultPriority } from '../event/event.ts';
import { checkHandled } from '../handler/check-handler.ts';
import type { EventHandler, HandlerContext } from '../handler/event-handler.ts';
import type { Predicate } from '../predicate/predicate.ts';
import type { AddOptions } from '../workqueue/request-queue.ts';
import { EventRetries } from './event-retries.ts';
import type { Delivery } from './event-retries.ts';
import type { SourceContext } from './source.ts';

interface DispatchOptions<T extends KubernetesObject, R> extends SourceContext<R> {
  readonly cluster?: Cluster;
  readonly handler: EventHandler<T, R>;
  readonly predicates: readonly Predicate<T>[];
  /** Kind of the objects, in logs. Default: the kind of each object. */
  readonly kind?: string;
  /** See {@link Debounce.debounce}. */
  readonly debounce: number;
  /** Called when the first event fails, and with `undefined` when all failed events have been handled. */
  readonly onUnhandled?: (error: Error | undefined) => void;
}

/**
 * Passes events through predicates to their handler. A failed event is logged and retried with backoff until the signal
 * aborts, independently of other events.
 *
 * @returns a function that takes an event, and the key of the watched object: a projection may change the key of the
 * event, or fail.
 */
export function dispatcher<T extends KubernetesObject, R>(
  options: DispatchOptions<T, R>,
): (event: ObjectEvent<T>, key: ObjectKey) => void {
  const { queue, cluster, handler, predicates, debounce } = options;
  const contextOf = (priority: number): HandlerContext<R> => {
    const defaults: AddOptions = { priority, ...(debounce > 0 && { after: debounce }) };
    return {
      queue: {
        add: (request, addOptions) => queue.add(request, addOptions ? { ...defaults, ...addOptions } : defaults),
      },
      ...(cluster && { cluster }),
    };
  };
  const contexts = new Map<number, HandlerContext<R>>();
  /** Returns `undefined` if the event was handled synchronously, which is the common case. */
  const handle = (event: ObjectEvent<T>): Promise<void> | undefined => {
    const priority = defaultPriority(event);
    let context = contexts.get(priority);
    if (!context) contexts.set(priority, (context = contextOf(priority)));
    // A handler may return the value of its last expression, also in TypeScript.
    const returned: unknown = handler(event, context);
    if (isThenable(returned)) return Promise.resolve(returned).then((value) => checkHandled(event, value));
    checkHandled(event, returned);
    return undefined;
  };
  const passes = (event: ObjectEvent<T>) => predicates.every((predicate) => predicate(event));
  const deliver = async ({ event, passed }: Delivery<T>) => {
    if (passed || passes(event)) await handle(event);
  };
  const retries = new EventRetries<T>({ ...options, deliver });
  let sequence = 0;

  return (event, key) => {
    const turn = (sequence += 1);
    let passed = false;
    const onError = (error: unknown) => retries.add({ event, key, sequence: turn, passed }, error);
    try {
      if (!passes(event)) return;
      passed = true;
      handle(event)?.catch(onError);
    } catch (error) {
      onError(error);
    }
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (Object(value) as { readonly then?: unknown }).then === 'function';
}
