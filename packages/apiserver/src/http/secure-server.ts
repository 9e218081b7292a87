import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Identity } from '../tls/identity.ts';
import type { Deadlines } from './connection-deadlines.ts';
import { DEADLINES, Http1Connection, limitHttp2 } from './connection-deadlines.ts';

/** Maximum number of open requests of one HTTP/2 connection, as in kube-apiserver. */
const MAX_CONCURRENT_STREAMS = 250;

/**
 * Memory limit of one connection, in MB. With Node's default of 10, a client with many open watches that is slow for a
 * moment would be refused further requests.
 */
const MAX_SESSION_MEMORY = 1024;

/** Limit of the path and headers of a request in bytes, as that of Go. */
const MAX_HEADER_SIZE = 1024 * 1024;

/** The certificate of a server, and the authority of its clients' certificates. */
export type ServingCertificate = Pick<Identity, 'certificate' | 'key' | 'caCertificate'>;

export type RequestHandler = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => void;

/**
 * Serves HTTPS, as HTTP/2 and HTTP/1.1, on connections that others accept. It has no port of its own, so that many ports
 * share one TLS context.
 */
export class SecureServer {
  readonly #server: Http2SecureServer;
  /** Handlers by the port on which the connection was accepted. */
  readonly #handlers = new Map<number, RequestHandler>();
  /** Connections of HTTP/1.1. */
  readonly #connections = new WeakMap<object, Http1Connection>();

  constructor({ certificate, key, caCertificate }: ServingCertificate, deadlines: Deadlines = DEADLINES) {
    this.#server = createSecureServer(
      {
        allowHTTP1: true,
        cert: certificate,
        key,
        // A client certificate is optional. Authentication decides whether a request needs one.
        requestCert: true,
        rejectUnauthorized: false,
        ca: caCertificate,
        maxSessionMemory: MAX_SESSION_MEMORY,
        handshakeTimeout: deadlines.handshake,
        // Options of the server for HTTP/1.1, which the types of this one lack. Its own deadlines do not apply to
        // connections that others accept.
        ...({ maxHeaderSize: MAX_HEADER_SIZE, keepAliveTimeout: 0 } as object),
        settings: { maxConcurrentStreams: MAX_CONCURRENT_STREAMS },
      },
      (request, response) => this.#serve(request, response),
    );
    this.#server.on('sessionError', () => undefined);
    this.#server.on('tlsClientError', (_error, socket: Socket) => socket.destroy());
    this.#server.on('secureConnection', (socket: TLSSocket) => {
      if (socket.alpnProtocol === 'h2') return;
      readThroughStream(socket);
      this.#connections.set(socket, new Http1Connection(socket, deadlines));
    });
    this.#server.on('session', (session) => limitHttp2(session, deadlines));
  }

  /** Passes the requests of connections at `port` to `handler`, until {@link remove}. */
  add(port: number, handler: RequestHandler): void {
    this.#handlers.set(port, handler);
  }

  remove(port: number): void {
    this.#handlers.delete(port);
  }

  /** Serves an accepted connection. */
  accept(socket: Socket): void {
    this.#server.emit('connection', socket);
  }

  #serve(...[request, response]: Parameters<RequestHandler>): void {
    this.#connections.get(request.socket)?.serve(response);
    const { localPort } = request.socket;
    const handler = localPort === undefined ? undefined : this.#handlers.get(localPort);
    // Without a handler, the connection was just reset.
    if (handler) handler(request, response);
    else request.destroy();
  }
}

/**
 * Makes Node.js read HTTP/1.1 requests through the stream of the socket, as it does once a listener for data exists. It
 * reads them below the stream otherwise. There, it fails if a client pipelines many requests: TLS passes on what it has
 * decrypted although the parser is paused (HPE_PAUSED).
 */
function readThroughStream(socket: TLSSocket): void {
  socket.on('data', () => undefined);
}
