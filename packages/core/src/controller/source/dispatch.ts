import type { KubernetesObject, ObjectKey } from '@mcr/client';
import { SerialCalls } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { ObjectEvent } from '../event/event.ts';
import { defaultPriority } from '../event/event.ts';
import { checkHandled } from '../handler/check-handler.ts';
import type { EventHandler, HandlerContext } from '../handler/event-handler.ts';
import type { Predicate } from '../predicate/predicate.ts';
import type { AddOptions, RequestQueue } from '../workqueue/request-queue.ts';
import { EventRetries } from './event-retries.ts';
import type { Delivery } from './event-retries.ts';
import type { SourceContext } from './source.ts';

interface DispatchOptions<T extends KubernetesObject, R> extends SourceContext<R> {
  readonly cluster?: Cluster;
  /** Name of the cluster of all events. Default: they are of several clusters. */
  readonly clusterName?: ClusterName;
  readonly localCluster?: Cluster;
  readonly handler: EventHandler<T, R>;
  readonly predicates: readonly Predicate<T>[];
  /** Kind of the objects, in logs. Default: the kind of each object. */
  readonly kind?: string;
  /** See {@link Debounce.debounce}. */
  readonly debounce: number;
  /** Called when the first event fails, and with `undefined` when all failed events have been handled. */
  readonly onUnhandled?: (error: Error | undefined) => void;
}

/** Passes events to a handler. */
export interface Dispatcher<T extends KubernetesObject> {
  /**
   * Handles an event after the earlier ones. Returns a promise that resolves when it was handled or has failed, or
   * `undefined` if it was handled at once. Callers wait for the promise before the next event, so that few events wait
   * here.
   *
   * @param key key of the watched object: a projection may change the key of the event, or fail.
   */
  readonly dispatch: (event: ObjectEvent<T>, key: ObjectKey) => Promise<void> | undefined;
  /** Discards the events that wait, and ignores later ones. */
  readonly stop: () => void;
}

/**
 * Passes events through predicates to their handler, one after the other: while the promise of a handler is pending, later
 * events wait. A failed event is logged and retried with backoff until the signal aborts; other events do not wait for
 * that.
 */
export function createDispatcher<T extends KubernetesObject, R>(options: DispatchOptions<T, R>): Dispatcher<T> {
  const { queue, cluster, clusterName, localCluster, handler, predicates, debounce, signal } = options;
  const contextOf = (priority: number, target: RequestQueue<R>): HandlerContext<R> => {
    const defaults: AddOptions = {
      priority,
      ...(debounce > 0 && { after: debounce }),
      ...(clusterName !== undefined && { cause: clusterName }),
    };
    return {
      queue: {
        add: (request, addOptions) => target.add(request, addOptions ? { ...defaults, ...addOptions } : defaults),
      },
      ...(cluster && { cluster }),
      ...(localCluster && { localCluster }),
    };
  };
  const contexts = { deletions: new Map<number, HandlerContext<R>>(), others: new Map<number, HandlerContext<R>>() };
  /** Returns `undefined` if the event was handled synchronously, which is the common case. */
  const handle = (event: ObjectEvent<T>): Promise<void> | undefined => {
    const priority = defaultPriority(event);
    const isDeletion = event.type === 'delete';
    const known = isDeletion ? contexts.deletions : contexts.others;
    let context = known.get(priority);
    if (!context) known.set(priority, (context = contextOf(priority, (isDeletion && queue.deletions) || queue)));
    // A handler may return the value of its last expression, also in TypeScript.
    const returned: unknown = handler(event, context);
    if (isThenable(returned)) return Promise.resolve(returned).then((value) => checkHandled(event, value));
    checkHandled(event, returned);
    return undefined;
  };
  const passes = (event: ObjectEvent<T>) => predicates.every((predicate) => predicate(event));
  const calls = new SerialCalls<() => Promise<void> | undefined>((call) => (signal.aborted ? undefined : call()));
  const retry = async ({ event, passed }: Delivery<T>) => {
    if (passed || passes(event)) await handle(event);
  };
  const retries = new EventRetries<T>({
    ...options,
    deliver: (delivery) =>
      new Promise((resolve) => {
        calls.add(() => {
          const retried = retry(delivery);
          resolve(retried);
          return retried.catch(() => undefined);
        });
      }),
  });
  /** Handles an event for the first time. */
  const attempt = (delivery: Delivery<T>): Promise<void> | undefined => {
    const { event } = delivery;
    let passed = false;
    try {
      if (!passes(event)) return undefined;
      passed = true;
      return handle(event)?.catch((error: unknown) => retries.add({ ...delivery, passed }, error));
    } catch (error) {
      retries.add({ ...delivery, passed }, error);
      return undefined;
    }
  };
  let sequence = 0;

  return {
    dispatch: (event, key) => {
      const delivery = { event, key, sequence: (sequence += 1), passed: false };
      calls.add(() => attempt(delivery));
      return calls.settled();
    },
    stop: () => calls.stop(),
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (Object(value) as { readonly then?: unknown }).then === 'function';
}
