import { foundText } from '@mcr/client';
import type { ReconcileRequest } from '../reconcile/request.ts';
import type { ControllerSource, SourceContext } from './source.ts';

/**
 * Returns a source that calls `start` once when the controller runs. `start` adds requests to the queue of the context
 * until the signal of the context aborts. A rejection stops the controller. (Upstream: `source.Func`.)
 */
export function funcSource<R = ReconcileRequest>(
  start: (context: SourceContext<R>) => void | Promise<void>,
): ControllerSource<R> {
  if (typeof start !== 'function') {
    throw new TypeError(`funcSource: expected a function (context), found ${foundText(start)}`);
  }
  return {
    per: 'controller',
    name: 'function',
    async start(context) {
      await start(context);
      return { synced: Promise.resolve(), stop: () => undefined };
    },
  };
}
