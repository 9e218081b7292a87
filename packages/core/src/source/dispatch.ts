import type { KubernetesObject } from '@mcr/client';
import { kindText } from '@mcr/client';
import type { Cluster } from '../cluster/cluster.ts';
import type { ObjectEvent } from '../event/event.ts';
import { defaultPriority } from '../event/event.ts';
import type { EventHandler, HandlerContext } from '../handler/event-handler.ts';
import type { Predicate } from '../predicate/predicate.ts';
import type { AddOptions } from '../workqueue/workqueue.ts';
import type { SourceContext } from './source.ts';

interface DispatchOptions<T extends KubernetesObject, R> extends SourceContext<R> {
  readonly cluster?: Cluster;
  readonly handler: EventHandler<T, R>;
  readonly predicates: readonly Predicate<T>[];
  /** See {@link Debounce.debounce}. */
  readonly debounce: number;
}

/**
 * Leads events through predicates to their handler. What fails on one event is logged and leaves the others alone: an
 * informer is not to be stopped by it.
 */
export function dispatcher<T extends KubernetesObject, R>(
  options: DispatchOptions<T, R>,
): (event: ObjectEvent<T>) => void {
  const { queue, cluster, log, handler, predicates, debounce } = options;
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
  const logError = ({ object }: ObjectEvent<T>, error: unknown) => {
    const { namespace, name } = object.metadata;
    log.error('An event could not be handled', { kind: kindText(object), namespace, name, error });
  };

  return (event) => {
    try {
      if (!predicates.every((predicate) => predicate(event))) return;
      const priority = defaultPriority(event);
      let context = contexts.get(priority);
      if (!context) contexts.set(priority, (context = contextOf(priority)));
      handler(event, context)?.catch((error: unknown) => logError(event, error));
    } catch (error) {
      logError(event, error);
    }
  };
}
