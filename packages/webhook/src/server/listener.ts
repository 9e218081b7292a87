import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from 'node:http2';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import type { Clock } from '@mcr/core';
import { sleep } from '@mcr/core';
import type { BindAddress } from '@mcr/core/provider';
import { Connections } from './connections.ts';
import { IdleSessions } from './idle-sessions.ts';
import { PART_BYTES } from './send-body.ts';

export type ServerRequest = IncomingMessage | Http2ServerRequest;
export type ServerReply = ServerResponse | Http2ServerResponse;

/** Listening address of a server. */
export interface ListeningAddress {
  readonly host: string;
  readonly port: number;
}

export interface ListenerOptions {
  readonly address: BindAddress;
  readonly context: SecureContextOptions;
  /** PEM of the authorities of client certificates. Default: clients have none. */
  readonly clientCa?: string | undefined;
  readonly clock: Clock;
  /** Number of connections from which on {@link Connections} replaces them. Default: 2,000. */
  readonly maxConnections?: number | undefined;
  readonly handle: (request: ServerRequest, reply: ServerReply) => void;
}

/** Limits of connections. */
const MAX_CONNECTIONS = 2_000;
const MAX_STREAMS = 250;
/**
 * Memory of a session of HTTP/2, in MB. Beyond it, Node.js refuses further requests of the session. It is enough for a part of
 * each response, and as much again for headers and bookkeeping.
 */
const MAX_SESSION_MEMORY = Math.ceil((2 * MAX_STREAMS * PART_BYTES) / 1_000_000);
/** In milliseconds. */
const HANDSHAKE_TIMEOUT = 10_000;
const HEADERS_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 60_000;
/**
 * API servers close idle connections after 90 s. A server that closes them earlier would lose requests that are sent at the
 * same moment.
 */
const KEEP_ALIVE_TIMEOUT = 120_000;
/** API servers connect when they have a request. */
const FIRST_REQUEST_TIMEOUT = 30_000;
/** Interval at which Node.js enforces the deadlines of HTTP/1.1. */
const CHECK_INTERVAL = 5_000;
const CLOSE_TIMEOUT = 1_000;

/** Accepts HTTP/2 and HTTP/1.1 over TLS, and ends connections without losing requests. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #server: Http2SecureServer;
  readonly #connections: Connections;
  readonly #sockets = new Set<Socket>();
  readonly #http1 = new Set<TLSSocket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  #context: SecureContextOptions;
  #clientCa: string | undefined;
  /** Requests without a complete response. */
  #open = 0;
  #onIdle: (() => void) | undefined;
  #isDraining = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const { context, clientCa, clock, maxConnections = MAX_CONNECTIONS } = options;
    this.#context = context;
    this.#clientCa = clientCa;
    this.#connections = new Connections(maxConnections);
    const limits = { first: FIRST_REQUEST_TIMEOUT, idle: KEEP_ALIVE_TIMEOUT, close: CLOSE_TIMEOUT };
    const idle = new IdleSessions(clock, limits);
    this.#server = createSecureServer({
      ...context,
      ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: false }),
      allowHTTP1: true,
      minVersion: 'TLSv1.2',
      handshakeTimeout: HANDSHAKE_TIMEOUT,
      maxSessionMemory: MAX_SESSION_MEMORY,
      settings: { maxConcurrentStreams: MAX_STREAMS, enablePush: false },
      // Options of HTTP/1.1, which the types of HTTP/2 do not declare.
      ...{ headersTimeout: HEADERS_TIMEOUT, requestTimeout: REQUEST_TIMEOUT, keepAliveTimeout: KEEP_ALIVE_TIMEOUT },
      ...{ connectionsCheckingInterval: CHECK_INTERVAL },
    });
    this.#server.on('connection', (socket: Socket) => {
      this.#connections.add(socket);
      this.#sockets.add(socket.once('close', () => this.#sockets.delete(socket)));
    });
    this.#server.on('secureConnection', (socket: TLSSocket) => {
      if (socket.alpnProtocol === 'h2') return;
      this.#http1.add(socket.once('close', () => this.#http1.delete(socket)));
    });
    this.#server.on('session', (session) => {
      this.#sessions.add(session);
      idle.add(session);
      this.#connections.closesBy(session.socket, () => idle.close(session));
      session.once('close', () => this.#sessions.delete(session));
      // A broken connection ends the session. There is no client to answer.
      session.on('error', () => undefined);
    });
    this.#server.on('request', (request: ServerRequest, reply: ServerReply) => this.#accept(request, reply));
    // Handshakes that fail: probes of load balancers, and clients that do not trust the certificate.
    this.#server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
  }

  /** Serves another certificate to further connections. */
  setSecureContext(context: SecureContextOptions): void {
    this.#context = context;
    const ca = this.#clientCa;
    this.#server.setSecureContext({ ...context, ...(ca !== undefined && { ca }) });
  }

  /** Verifies the client certificates of further connections with other CAs. */
  setClientCa(pem: string): void {
    this.#clientCa = pem;
    this.setSecureContext(this.#context);
  }

  /** @throws {Error} if the address cannot be used; the message names it. */
  listen(): Promise<ListeningAddress> {
    const { address } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (cause: NodeJS.ErrnoException) => {
        const taken = 'the port is in use: choose another one with the option bindAddress';
        const why = cause.code === 'EADDRINUSE' ? taken : cause.message;
        reject(new Error(`webhooks cannot be served on ${address.text}: ${why}`, { cause }));
      });
      this.#server.listen({ port: address.port, ...(address.host && { host: address.host }) }, () => {
        const bound = this.#server.address() as AddressInfo;
        resolve({ host: bound.family === 'IPv6' ? `[${bound.address}]` : bound.address, port: bound.port });
      });
    });
  }

  /**
   * Keeps serving for `delay` ms, and asks clients of HTTP/1.1 for other connections meanwhile. Then accepts no more
   * connections, and resolves when every request has its response, at most `timeout` ms later. A client of HTTP/2 learns
   * which requests were not processed (GOAWAY), and sends them again on another connection, as Go does.
   */
  async drain({ delay, timeout }: { readonly delay: number; readonly timeout: number }): Promise<void> {
    const { clock } = this.#options;
    this.#isDraining = true;
    if (delay > 0) await sleep(clock, delay, new AbortController().signal);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const session of this.#sessions) session.close();
    const late = Promise.withResolvers<void>();
    const timer = clock.schedule(timeout, late.resolve);
    await Promise.race([this.#idle(), late.promise]);
    for (const socket of this.#http1) socket.destroy();
    // Sessions end when their last frames are sent.
    await Promise.race([closed, late.promise]);
    timer.cancel();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(request: ServerRequest, reply: ServerReply): void {
    this.#open += 1;
    const socket = 'stream' in request ? request.stream.session?.socket : request.socket;
    const ended = socket && this.#connections.requested(socket);
    reply.once('close', () => {
      ended?.(reply.headersSent && reply.statusCode === 200);
      this.#open -= 1;
      if (this.#open === 0) this.#onIdle?.();
    });
    // The connection may break while the response is written.
    reply.on('error', () => undefined);
    request.on('error', () => undefined);
    // HTTP/2 has GOAWAY instead. It is sent last: Node.js ignores the requests that arrive after it.
    if (this.#isDraining && request.httpVersionMajor === 1) reply.setHeader('connection', 'close');
    this.#options.handle(request, reply);
  }

  #idle(): Promise<void> {
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#onIdle = resolve));
  }
}
