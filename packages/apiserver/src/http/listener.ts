import { randomInt } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Identity } from '../tls/identity.ts';
import type { PortClaim } from './ports.ts';
import { claimPort, PORTS } from './ports.ts';

/** Maximum number of open requests of one HTTP/2 connection, as in kube-apiserver. */
const MAX_CONCURRENT_STREAMS = 250;

/**
 * Memory limit of one connection, in MB. With Node's default of 10, a client with many open watches that is slow for a
 * moment would be refused further requests.
 */
const MAX_SESSION_MEMORY = 1024;

/** Number of ports to try before the operating system chooses one. */
const ATTEMPTS = 100;

/** The certificate of a server, and the authority of its clients' certificates. */
export type ServingCertificate = Pick<Identity, 'certificate' | 'key' | 'caCertificate'>;

export interface Address {
  readonly host?: string | undefined;
  readonly port: number;
}

export type RequestHandler = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => void;

/** An HTTPS server on one port for HTTP/2 and HTTP/1.1, whose connections can be reset. */
export class Listener {
  readonly #server: Http2SecureServer;
  readonly #sockets = new Set<Socket>();
  readonly #host: string;
  #port: number;
  #claim: PortClaim | undefined;

  /**
   * @param address.host IP address. Default: 127.0.0.1.
   * @param address.port 0 selects a free port.
   */
  constructor({ certificate, key, caCertificate }: ServingCertificate, address: Address, handler: RequestHandler) {
    this.#host = address.host ?? '127.0.0.1';
    this.#port = address.port;
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
        settings: { maxConcurrentStreams: MAX_CONCURRENT_STREAMS },
      },
      handler,
    );
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => this.#sockets.delete(socket));
      // Errors of a connection end only that connection.
      socket.on('error', () => socket.destroy());
    });
    this.#server.on('sessionError', () => undefined);
    this.#server.on('tlsClientError', (_error, socket: Socket) => socket.destroy());
  }

  get port(): number {
    return this.#port;
  }

  /** Listens, after {@link suspend} on the same port. @throws {Error} that names the port if it is in use. */
  async open(): Promise<void> {
    for (let attempt = 0; this.#port === 0 && attempt < ATTEMPTS; attempt++) await this.#openAnywhere();
    if (this.#server.listening) return;
    if (!(await this.#listen(this.#port))) {
      throw new Error(
        `port ${this.#port} of ${this.#host} is in use: choose another one, or omit it to use a free one`,
      );
    }
    this.#claim ??= await claimPort(this.#port);
  }

  /** Resets every connection. */
  cutConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Stops listening and resets every connection. Keeps the port reserved for this listener. */
  async suspend(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.cutConnections();
    await closed;
  }

  /** Like {@link suspend}, but also releases the port. */
  async close(): Promise<void> {
    await this.suspend();
    this.#claim?.release();
  }

  /** Tries a random port, unless it is in use or reserved by a server that is down. */
  async #openAnywhere(): Promise<void> {
    const port = randomInt(PORTS.from, PORTS.to);
    const claim = await claimPort(port);
    if (claim && (await this.#listen(port))) this.#claim = claim;
    else claim?.release();
  }

  /** Returns whether the port was free. */
  async #listen(port: number): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject).listen(port, this.#host, resolve);
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
