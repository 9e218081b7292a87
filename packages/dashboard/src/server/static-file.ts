import { createHash } from 'node:crypto';
import type { HttpHandler } from '@mcr/core';
import { hasMethod } from './data-handler.ts';

/**
 * Only files and data of this server. Trusted types make the browser refuse every assignment of markup, so that a name can
 * never become an element.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  ...['script-src', 'style-src', 'img-src', 'connect-src'].map((directive) => `${directive} 'self'`),
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
].join('; ');

/** Returns a handler that serves a file of the page, which browsers ask for again at each visit. */
export function staticFile(type: string, content: string): HttpHandler {
  const body = Buffer.from(content);
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  const headers = {
    'content-type': type,
    etag,
    'cache-control': 'no-cache',
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
  return (request, response) => {
    if (!hasMethod(request, response, ['GET', 'HEAD'])) return;
    if (request.headers['if-none-match'] === etag) response.writeHead(304, headers).end();
    else response.writeHead(200, { ...headers, 'content-length': body.length }).end(body);
  };
}
