import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, TLSSocket, type SecureContext } from 'node:tls';
import type { Clock } from '../clock/clock.ts';
import type { ClusterConfig, TlsConfig } from '../config/cluster-config.ts';
import { secureContextOf } from '../credentials/secure-context.ts';
import { toTransportError, TransportError } from './transport-error.ts';

/** How long one connection may take to be made, TLS and the first HTTP/2 frame included, in milliseconds. */
export const CONNECT_DEADLINE = 10_000;

/**
 * After so long without a packet, in milliseconds, the system asks whether the peer is there, and gives it ten seconds
 * to answer. HTTP/1.1 has no pings of its own.
 */
const KEEP_ALIVE = 30_000;

export type ApplicationProtocol = 'h2' | 'http/1.1';

/** Opens connections to one API server, all with the same identity. */
export class Connector {
  readonly #clock: Clock;
  readonly #url: URL;
  readonly #serverName: string;
  readonly #tls: TlsConfig | undefined;
  #secureContext: SecureContext | undefined;
  readonly #insecure: boolean;
  /** Every socket that is not closed yet, those still connecting too. */
  readonly #sockets = new Set<Socket>();
  #closed = false;
  /** The server's host and port, for messages. */
  readonly host: string;

  /** @param config its `tls` is usable, and without files. */
  constructor(config: ClusterConfig, clock: Clock) {
    this.#clock = clock;
    this.#url = new URL(config.server);
    this.host = this.#url.host;
    this.#serverName = config.tls?.serverName ?? hostname(this.#url);
    this.#insecure = config.tls?.insecureSkipVerify ?? false;
    this.#tls = config.tls;
  }

  /** Whether connections are encrypted, so that a protocol can be negotiated. */
  get secure(): boolean {
    return this.#url.protocol === 'https:';
  }

  /** @throws {TransportError} when there is no connection within {@link CONNECT_DEADLINE}, and after {@link close}. */
  async connect(protocols: readonly ApplicationProtocol[]): Promise<Socket> {
    if (this.#closed) throw new TransportError('closed', this.host, 'the transport is closed', { unprocessed: true });
    const host = hostname(this.#url);
    const port = Number(this.#url.port) || (this.secure ? 443 : 80);
    const socket = this.secure
      ? connectTls({
          host,
          port,
          secureContext: (this.#secureContext ??= secureContextOf(this.#tls)),
          // RFC 6066 allows no address as a server name.
          servername: isIP(this.#serverName) ? '' : this.#serverName,
          checkServerIdentity: (_host, certificate) => checkServerIdentity(this.#serverName, certificate),
          rejectUnauthorized: !this.#insecure,
          ALPNProtocols: [...protocols],
        })
      : connectTcp({ host, port });
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE);
    // Whoever the socket is given to is told by its other listeners; between two owners nobody may be listening.
    socket.on('error', () => undefined);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return new Promise((resolve, reject) => {
      const settle = () => {
        deadline.cancel();
        socket.off(ready, onReady).off('error', onFailure).off('close', onClose);
      };
      const onReady = () => {
        settle();
        resolve(socket);
      };
      const onFailure = (cause: Error) => {
        settle();
        socket.destroy();
        reject(toTransportError(cause, this.host, { unprocessed: true }));
      };
      const onClose = () => onFailure(connectionEnded());
      const ready = socket instanceof TLSSocket ? 'secureConnect' : 'connect';
      const deadline = this.#clock.schedule(CONNECT_DEADLINE, () => onFailure(connectTookTooLong(this.host)));
      socket.on(ready, onReady).on('error', onFailure).on('close', onClose);
    });
  }

  /** Resolves when the sockets that there are now have closed. */
  async drained(): Promise<void> {
    await Promise.all(Array.from(this.#sockets, (socket) => new Promise((resolve) => socket.once('close', resolve))));
  }

  /** Closes every socket. */
  async close(): Promise<void> {
    this.#closed = true;
    const drained = this.drained();
    for (const socket of this.#sockets) socket.destroy();
    await drained;
  }
}

export function connectTookTooLong(host: string): TransportError {
  return new TransportError('deadline', host, `no connection within ${CONNECT_DEADLINE} ms`, { unprocessed: true });
}

function connectionEnded(): Error {
  return Object.assign(new Error('closed while connecting'), { code: 'ECONNRESET' });
}

/** The host without the brackets that a URL puts around an IPv6 address. */
function hostname(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}
