import type { Duplex } from 'node:stream';
import type { Connector } from './connector.ts';
import type { Exchange } from './exchange.ts';
import { Agent, request as sendRequest } from './node-http.ts';
import type { PingResult } from './transport.ts';
import { toTransportError } from '../errors/transport-error.ts';
import { headerRecord, type Wire, type WireRequest, type WireResponse } from './wire.ts';

/** Sends requests over kept-alive HTTP/1.1 connections, to servers and proxies without HTTP/2 (`kubectl proxy`). */
export class Http1Wire implements Wire {
  readonly #connector: Connector;
  readonly #authority: string;
  readonly #agent: ConnectorAgent;

  constructor(connector: Connector, url: URL) {
    this.#connector = connector;
    this.#authority = url.host;
    this.#agent = new ConnectorAgent(connector);
  }

  open({ method, path, headers, body }: WireRequest, exchange: Exchange): Promise<WireResponse> {
    return new Promise((resolve, reject) => {
      const request = sendRequest({
        method,
        path,
        headers: {
          host: this.#authority,
          ...headers,
          ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
        },
        agent: this.#agent,
      });
      exchange.carriedBy(request);
      // Node.js emits this with an established connection, right before it writes the request. A refusal destroys the
      // request and with it the connection, because Node.js cannot return an unused one to the agent.
      request.once('socket', () => {
        try {
          exchange.beforeSend();
        } catch (error) {
          reject(error);
        }
      });
      request.once('response', (response) => {
        response.on('error', () => undefined);
        resolve({ status: response.statusCode ?? 0, headers: headerRecord(response.headers), body: response });
      });
      // The server may close a kept-alive connection while a request is sent on it. A read can be retried.
      request.on('error', (cause) => {
        const unprocessed = request.reusedSocket && method === 'GET';
        reject(toTransportError(cause, this.#connector.host, { unprocessed }));
      });
      request.end(body);
    });
  }

  /** HTTP/1.1 has no pings. */
  ping(): Promise<PingResult> {
    return Promise.resolve('unknown');
  }

  retire(): void {
    this.#agent.drain();
  }

  close(): Promise<void> {
    this.#agent.destroy();
    return Promise.resolve();
  }
}

/** Opens connections with a {@link Connector}, so that both protocols have the same TLS and connect deadline. */
class ConnectorAgent extends Agent {
  readonly #connector: Connector;

  constructor(connector: Connector) {
    super({ keepAlive: true });
    this.#connector = connector;
  }

  override createConnection(_options: object, onCreated?: (error: Error | null, socket: Duplex) => void): undefined {
    void this.#connector.connect(['http/1.1']).then(
      (socket) => onCreated?.(null, socket),
      // Node.js ignores the socket if there is an error.
      (error: unknown) => onCreated?.(error as Error, undefined as unknown as Duplex),
    );
  }

  /** Closes idle connections now, and each other connection after its request. */
  drain(): void {
    this.maxFreeSockets = 0;
    for (const sockets of Object.values(this.freeSockets)) sockets?.forEach((socket) => socket.destroy());
  }
}
