import type { Logger } from '../log/logger.ts';
import { delegatingTransport } from '../transport/delegating-transport.ts';
import type { Transport, TransportRequest } from '../transport/transport.ts';
import { parseWarnings, type Warning } from './warning-header.ts';

/** Handles one warning. @param request the request that was answered with the warning; `path` includes the query. */
export type WarningHandler = (warning: Warning, request: Pick<TransportRequest, 'method' | 'path'>) => void;

/** Returns a transport that passes the warnings in responses to `onWarning`. Logs the errors that it throws. */
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
          // The request has succeeded, so the caller must get the response.
          logger.error('onWarning handler threw', { error });
        }
      }
    }
    return response;
  });
}

/** Maximum number of distinct warnings that one client logs, because a server can send any number of them. */
const MAX_LOGGED = 256;

/**
 * Logs each distinct warning once. Ignores codes other than 299, which do not come from the API server. (Upstream:
 * client-go's `rest.NewWarningWriter` with `Deduplicate`.)
 */
export function logWarnings(logger: Logger): WarningHandler {
  const logged = new Set<string>();
  return ({ code, text }, { method, path }) => {
    if (code !== 299 || text === '' || logged.has(text) || logged.size >= MAX_LOGGED) return;
    logged.add(text);
    logger.warn('API server returned a warning', { warning: text, method, path });
    if (logged.size === MAX_LOGGED) logger.warn('too many distinct warnings, not logging more');
  };
}
