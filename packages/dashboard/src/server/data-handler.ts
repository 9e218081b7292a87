import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpHandler } from '@mcr/core';

const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/**
 * Returns a handler for data. It refuses requests that a browser sends for another site: their responses cannot be read
 * there, but an event stream would take the place of a viewer.
 */
export function dataHandler(handler: HttpHandler): HttpHandler {
  return (request, response) => {
    if (!hasMethod(request, response, ['GET'])) return;
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const site = request.headers['sec-fetch-site'];
    if (site === undefined || site === 'same-origin' || site === 'none') return handler(request, response);
    answerJson(response, 403, { error: 'requests from other sites are refused' });
  };
}

/** Whether the method of a request is one of `allowed`. Answers others with 405. */
export function hasMethod(
  { method = '' }: IncomingMessage,
  response: ServerResponse,
  allowed: readonly string[],
): boolean {
  if (allowed.includes(method)) return true;
  response.writeHead(405, { allow: allowed.join(', ') }).end();
  return false;
}

export function answerJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
