import { randomInt } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Identity } from '../tls/identity.ts';
import type { PortClaim } from './ports.ts';
import { claimPort, PORTS } from './ports.ts';

/** How many requests one HTTP/2 connection may have open, as in kube-apiserver. */
const MAX_CONCURRENT_STREAMS = 250;

/**
 * How much one connection may hold for its client, in MB. At Node's default of 10, a client with many open watches
 * that is slow for a moment would be refused further requests.
 */
const MAX_SESSION_MEMORY = 1024;

/** After so many that are taken, the system chooses one. */
const ATTEMPTS = 100;

export type RequestHandler = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => void;

/** An HTTPS server on one loopback port, for HTTP/2 and HTTP/1.1, whose connections can be cut. */
export class Listener {
  readonly #server: Http2SecureServer;
  readonly #sockets = new Set<Socket>();
  #port: number;
  #claim: PortClaim | undefined;

  /** @param port 0: any that is free. */
  constructor({ certificate, key, caCertificate }: Identity, port: number, handler: RequestHandler) {
    this.#port = port;
    this.#server = createSecureServer(
      {
        allowHTTP1: true,
        cert: certificate,
        key,
        // A client may show a certificate; whether it must is for authentication to say.
        requestCert: true,
        rejectUnauthorized: false,
        ca: caCertificate,
        maxSessionMemory: MAX_SESSION_MEMORY,
        settings: { maxConcurrentStreams: MAX_CONCURRENT_STREAMS },
      },
      handler,
    );
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => this.#sockets.delete(socket));
      // What is wrong with a connection is told to whoever waits on it; the listener goes on.
      socket.on('error', () => socket.destroy());
    });
    this.#server.on('sessionError', () => undefined);
    this.#server.on('tlsClientError', (_error, socket: Socket) => socket.destroy());
  }

  get port(): number {
    return this.#port;
  }

  /** Listens, after {@link suspend} on the same port. @throws {Error} that names the port, when it is taken. */
  async open(): Promise<void> {
    for (let attempt = 0; this.#port === 0 && attempt < ATTEMPTS; attempt++) await this.#openAnywhere();
    if (this.#server.listening) return;
    if (!(await this.#listen(this.#port))) {
      throw new Error(`port ${this.#port} of 127.0.0.1 is in use: choose another one, or omit it to use a free one`);
    }
    this.#claim ??= await claimPort(this.#port);
  }

  /** Cuts every connection, as a reset by the network would. */
  cutConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Stops listening and cuts every connection. The port stays this listener's. */
  async suspend(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.cutConnections();
    await closed;
  }

  /** As {@link suspend}, for good. */
  async close(): Promise<void> {
    await this.suspend();
    this.#claim?.release();
  }

  /** On a port of chance, unless somebody has it, or had it and comes back. */
  async #openAnywhere(): Promise<void> {
    const port = randomInt(PORTS.from, PORTS.to);
    const claim = await claimPort(port);
    if (claim && (await this.#listen(port))) this.#claim = claim;
    else claim?.release();
  }

  /** Whether the port was free. */
  async #listen(port: number): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject).listen(port, '127.0.0.1', resolve);
    try {
      await promise;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
      throw error;
    } finally {
      this.#server.off('error', reject).off('listening', resolve);
    }
    this.#port = (this.#server.address() as AddressInfo).port;
    return true;
  }
}
