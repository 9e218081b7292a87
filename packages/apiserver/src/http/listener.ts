import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { PortClaim } from './ports.ts';
import { claimPort, PORTS } from './ports.ts';
import type { RequestHandler, SecureServer } from './secure-server.ts';

/** Number of ports to try before the operating system chooses one. */
const ATTEMPTS = 100;

export interface Address {
  readonly host?: string | undefined;
  readonly port: number;
}

/** A port of a {@link SecureServer} with a handler of its own, whose connections can be reset. */
export class Listener {
  readonly #secureServer: SecureServer;
  readonly #handler: RequestHandler;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #host: string;
  #port: number;
  #claim: PortClaim | undefined;

  /**
   * @param address.host IP address. Default: 127.0.0.1.
   * @param address.port 0 selects a free port.
   */
  constructor(secureServer: SecureServer, address: Address, handler: RequestHandler) {
    this.#host = address.host ?? '127.0.0.1';
    this.#port = address.port;
    this.#server = createServer({ noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      // Errors of a connection end only that connection.
      socket.on('error', () => socket.destroy());
      secureServer.accept(socket);
    });
    this.#secureServer = secureServer;
    this.#handler = handler;
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
    this.#secureServer.remove(this.#port);
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
    this.#secureServer.add(this.#port, this.#handler);
    return true;
  }
}
