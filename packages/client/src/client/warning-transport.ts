import type { Logger } from '../log/logger.ts';
import { delegatingTransport } from '../transport/delegating-transport.ts';
import type { Transport, TransportRequest } from '../transport/transport.ts';
import { parseWarnings, type Warning } from './warning-header.ts';

/** @param request what was answered with the warning; `path` is with its query. */
export type WarningHandler = (warning: Warning, request: Pick<TransportRequest, 'method' | 'path'>) => void;

/** A transport that tells `onWarning` of the warnings in the responses. What that throws is logged. */
export function warningTransport(transport: Transport, onWarning: WarningHandler, logger: Logger): Transport {
  return delegatingTransport(transport, async (request) => {
    const response = await transport.send(request);
    const { warning: header } = response.headers;
    if (header !== undefined) {
      const { method, path } = request;
      for (const warning of parseWarnings(header)) {
        try {
          onWarning(warning, { method, path });
        } catch (error) {
          // The request has been answered: its caller is to have the answer.
          logger.error('onWarning has failed', { error });
        }
      }
    }
    return response;
  });
}

/** How many warnings are remembered, and so logged, of one client: a server can make up as many as it likes. */
const MAX_LOGGED = 256;

/**
 * Logs each text once. Warnings of other codes than 299 are not the API server's own.
 * (Upstream: client-go's `rest.NewWarningWriter` with `Deduplicate`.)
 */
export function logWarnings(logger: Logger): WarningHandler {
  const logged = new Set<string>();
  return ({ code, text }, { method, path }) => {
    if (code !== 299 || text === '' || logged.has(text) || logged.size >= MAX_LOGGED) return;
    logged.add(text);
    logger.warn('the API server warns', { warning: text, method, path });
    if (logged.size === MAX_LOGGED) logger.warn('further warnings of this API server are not logged');
  };
}
