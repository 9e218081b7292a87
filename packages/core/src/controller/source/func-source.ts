import { foundText } from '@mcr/client';
import type { Request } from '../reconcile/request.ts';
import type { ControllerSource, SourceContext } from './source.ts';

/**
 * Calls `start` once when the controller runs. What it starts adds requests to the context's queue until the context's
 * signal aborts. A rejection stops the controller. (Upstream: `source.Func`.)
 */
export function funcSource<R = Request>(
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
