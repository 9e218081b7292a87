import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Logger, shortened } from '@mcr/client';
import type { Runnable } from '../runnable.ts';
import type { Authorizer } from './authorizer.ts';
import type { BindAddress } from './bind-address.ts';
import { isLoopback } from './bind-address.ts';
import type { HttpHandler } from './http-handler.ts';
import { hasExpectedHost } from './expected-host.ts';
import { answerText } from './http-handler.ts';
import { OpenResponses } from './open-responses.ts';
import type { ServingCertificate } from './serving-certificate.ts';

export interface HttpServerOptions {
  /** Name of the server in logs and errors, for example `metrics`. */
  readonly name: string;
  readonly address: BindAddress;
  /** Returns the handler of a path, if any. */
  readonly route: (path: string) => HttpHandler | undefined;
  readonly logger: Logger;
  /** Serves HTTPS with this certificate. Default: plain HTTP. */
  readonly certificate?: ServingCertificate;
  /** Authorizes each request. Default: requests need no authentication. */
  readonly authorizer?: Authorizer;
  /** Whether a path is served without authorization. Default: no path is. */
  readonly isOpen?: (path: string) => boolean;
  /**
   * Names that requests without authentication may have in `Host` if they arrive on loopback, besides `localhost`. A server
   * with this option logs a warning if other machines can read it without authentication. Default: responses contain
   * nothing private, as those to probes, so neither is checked.
   */
  readonly allowedHosts?: readonly string[];
}

/** Time within which a request must arrive completely, in milliseconds. */
const REQUEST_TIMEOUT = 10_000;
/** Time in which one error is logged, in milliseconds. Otherwise, callers could fill the log while the hub cannot be reached. */
const LOG_INTERVAL = 10_000;

/** Serves probes and scrapers. */
export class HttpServer implements Runnable {
  readonly group = 'server';
  readonly #options: HttpServerOptions;
  readonly #responses = new OpenResponses();
  /** Time of the last error in the log, and the number of errors since then. */
  #logged = { at: -Infinity, others: 0 };

  constructor(options: HttpServerOptions) {
    this.#options = options;
  }

  /**
   * @throws {Error} if the address cannot be used, or the files of the certificate are invalid; the message names them.
   */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#serve(await this.#create(signal), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#options.certificate?.stop();
    }
  }

  async #serve(server: Server, signal: AbortSignal): Promise<void> {
    const { name, address, logger, certificate, authorizer, allowedHosts } = this.#options;
    if (signal.aborted) return;
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      sockets.add(socket.once('close', () => sockets.delete(socket)));
    });
    const { host, port } = await this.#listen(server);
    logger.info('server listening', {
      server: name,
      address: `${certificate ? 'https' : 'http'}://${host}:${port}`,
    });
    if (allowedHosts && !isLoopback(address) && !authorizer) {
      logger.warn('server is readable from other machines without authentication', {
        server: name,
        address: `${host}:${port}`,
      });
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

  async #create(signal: AbortSignal): Promise<Server> {
    const { name, certificate } = this.#options;
    const answer = (request: IncomingMessage, response: ServerResponse) => void this.#answer(request, response);
    const options = { requestTimeout: REQUEST_TIMEOUT };
    // An import would load code that only the other exports of the module need.
    if (!certificate) return process.getBuiltinModule('node:http').createServer(options, answer);
    const { createServer } = await import('node:https');
    try {
      const server = createServer({ ...options, ...(await certificate.read(signal)) }, answer);
      certificate.follow(server);
      return server;
    } catch (cause) {
      const why = `expected a certificate and its key, as PEM, in certFile and keyFile: ${(cause as Error).message}`;
      throw new Error(`${name} cannot be served over TLS: ${why}`, { cause });
    }
  }

  #listen(server: Server): Promise<{ readonly host: string; readonly port: number }> {
    const { name, address } = this.#options;
    return new Promise((resolve, reject) => {
      server.once('error', (cause: NodeJS.ErrnoException) => {
        const taken = `the port is in use: choose another one with the option ${name}.bindAddress`;
        const why = cause.code === 'EADDRINUSE' ? taken : cause.message;
        reject(new Error(`${name} cannot be served on ${address.text}: ${why}`, { cause }));
      });
      server.listen({ port: address.port, ...(address.host && { host: address.host }) }, () => {
        const bound = server.address() as AddressInfo;
        resolve({ host: bound.family === 'IPv6' ? `[${bound.address}]` : bound.address, port: bound.port });
      });
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { name, route, authorizer, isOpen, allowedHosts } = this.#options;
    response.setHeader('x-content-type-options', 'nosniff');
    if (!this.#responses.add(request, response)) return;
    if (!authorizer && allowedHosts && !hasExpectedHost(request, allowedHosts)) {
      const host = JSON.stringify(shortened(request.headers.host ?? '', 256));
      answerText(response, 403, `host ${host} is not expected on loopback: add it to ${name}.allowedHosts\n`);
      return;
    }
    const [path = '/'] = (request.url ?? '/').split('?');
    const found = route(path);
    const handler = found && authorizer && !isOpen?.(path) ? authorizer.guard(path, found) : found;
    try {
      if (handler) await handler(request, response);
      else answerText(response, 404, 'not found\n');
    } catch (error) {
      this.#logFailure(path, error);
      if (response.headersSent) response.destroy();
      else answerText(response, 500, 'internal server error\n');
    }
    this.#responses.limit();
  }

  #logFailure(path: string, error: unknown): void {
    const { name, logger } = this.#options;
    const now = performance.now();
    const { at, others } = this.#logged;
    if (now - at < LOG_INTERVAL) {
      this.#logged.others += 1;
      return;
    }
    this.#logged = { at: now, others: 0 };
    logger.error('handler failed', { server: name, path, error, ...(others > 0 && { unlogged: others }) });
  }
}
