import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from '@mcr/client';
import type { Runnable } from '../manager/runnable.ts';
import type { BindAddress } from './bind-address.ts';
import { isLoopback } from './bind-address.ts';

/** Answers a request. What it throws is logged, and answered by 500. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export interface HttpServerOptions {
  /** What it serves, for log lines and errors: `metrics`. */
  readonly name: string;
  readonly address: BindAddress;
  /** The handler of a path, if there is one. */
  readonly route: (path: string) => HttpHandler | undefined;
  readonly logger: Logger;
}

/** How long a request may take to arrive, in milliseconds. */
const REQUEST_TIMEOUT = 10_000;

/** Serves plain HTTP, for probes and scrapers. */
export class HttpServer implements Runnable {
  readonly group = 'server';
  readonly #options: HttpServerOptions;

  constructor(options: HttpServerOptions) {
    this.#options = options;
  }

  /** @throws {Error} that names the address, when it cannot be listened on. */
  async run(signal: AbortSignal): Promise<void> {
    const { name, address, logger } = this.#options;
    const { createServer } = await import('node:http');
    if (signal.aborted) return;
    const server = createServer({ requestTimeout: REQUEST_TIMEOUT }, (request, response) => {
      void this.#answer(request, response);
    });
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      sockets.add(socket.once('close', () => sockets.delete(socket)));
    });
    const { host, port } = await this.#listen(server);
    logger.info(`serving ${name}`, { address: `http://${host}:${port}` });
    if (!isLoopback(address)) {
      logger.warn(`${name} can be read by everybody who reaches this machine`, { address: `${host}:${port}` });
    }
    await new Promise<void>((resolve) => {
      const close = () => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      };
      if (signal.aborted) close();
      else signal.addEventListener('abort', close, { once: true });
    });
  }

  #listen(server: Server): Promise<{ readonly host: string; readonly port: number }> {
    const { name, address } = this.#options;
    return new Promise((resolve, reject) => {
      server.once('error', (cause: NodeJS.ErrnoException) => {
        const why = cause.code === 'EADDRINUSE' ? 'the port is taken' : cause.message;
        reject(new Error(`${name} cannot be served on ${address.text}: ${why}`, { cause }));
      });
      server.listen({ port: address.port, ...(address.host && { host: address.host }) }, () => {
        const bound = server.address() as AddressInfo;
        resolve({ host: bound.family === 'IPv6' ? `[${bound.address}]` : bound.address, port: bound.port });
      });
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { name, route, logger } = this.#options;
    const [path = '/'] = (request.url ?? '/').split('?');
    const handler = route(path);
    try {
      if (handler) await handler(request, response);
      else answerText(response, 404, 'not found\n');
    } catch (error) {
      logger.error(`a handler of ${name} failed`, { path, error });
      if (response.headersSent) response.destroy();
      else answerText(response, 500, 'internal server error\n');
    }
  }
}

/** Answers with plain text. */
export function answerText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}
