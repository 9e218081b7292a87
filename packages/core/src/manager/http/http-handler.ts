import type { IncomingMessage, ServerResponse } from 'node:http';

/** Handles a request. If it throws, the error is logged and the response is 500. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Options of a handler on the address of `/metrics`. */
export interface MetricsHandlerOptions {
  /**
   * With `everybody`, requests for the path need no token, also if `metrics.access` is `authorized`. Use it only for
   * responses that are the same in every fleet, such as the script of a page that asks for the token. Default: the path
   * has the access of the metrics.
   */
  readonly access?: 'everybody';
}

/** Sends a plain text response. */
export function answerText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}
