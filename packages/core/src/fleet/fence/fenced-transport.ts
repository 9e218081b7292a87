import type { Transport, TransportRequest } from '@mcr/client';
import { delegatingTransport, isTransportError } from '@mcr/client';
import { isWrite } from './is-write.ts';
import type { WriteFence } from './write-fence.ts';

/** Options of {@link fencedTransport}. */
export interface FencedTransportOptions {
  /** Deadline of a request that has none, in milliseconds. Default: the fence's write deadline. */
  readonly requestTimeout?: number | undefined;
}

/**
 * Returns a transport whose writes pass the fence that `fenceOf` returns for each; `undefined` lets it pass. The fence is
 * asked right before each attempt is sent, below all retries and waits. A write has at most the fence's write deadline,
 * which is sent as `?timeout=` too, so that the server drops it in time.
 *
 * Its requests throw `NotOwnerError` if the fence is closed.
 */
export function fencedTransport(
  transport: Transport,
  fenceOf: () => WriteFence | undefined,
  options: FencedTransportOptions = {},
): Transport {
  return delegatingTransport(transport, async (request) => {
    const fence = isWrite(request) ? fenceOf() : undefined;
    if (!fence) return transport.send(request);
    // The connection of a cluster that was given away is closed. The error has to say why.
    fence.check();
    const write = fence.begin();
    const requested = request.timeout ?? options.requestTimeout ?? Infinity;
    try {
      const response = await transport.send({
        ...request,
        path: withTimeout(request.path, fence.writeDeadline),
        timeout: Math.min(requested, fence.writeDeadline),
        beforeSend: () => {
          request.beforeSend?.();
          write.sends();
        },
        onRetry: (delay) => {
          write.answered();
          request.onRetry?.(delay);
        },
        onFailedTry: (error) => {
          if (isUnprocessed(error)) write.answered();
          request.onFailedTry?.(error);
        },
      });
      // The server responds after it has stored the object. A proxy or an overloaded storage may respond with a 5xx to a
      // write that is still applied.
      if (response.status < 500) write.answered();
      return response;
    } catch (error) {
      if (isUnprocessed(error)) write.answered();
      throw error;
    }
  });
}

/** Whether the server certainly did not process the attempt that failed with `error`. */
function isUnprocessed(error: unknown): boolean {
  return isTransportError(error) && error.unprocessed;
}

/** Sets the API server's deadline, a duration of Go, in place of a longer one that the path may have. */
function withTimeout(path: TransportRequest['path'], deadline: number): string {
  const [target = '', query = ''] = path.split('?', 2);
  const parameters = query.split('&').filter((parameter) => parameter !== '' && !parameter.startsWith('timeout='));
  return `${target}?${[...parameters, `timeout=${Math.floor(deadline)}ms`].join('&')}`;
}
