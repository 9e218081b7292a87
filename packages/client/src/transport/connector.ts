import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls } from 'node:tls';
import type { Clock } from '../clock/clock.ts';
import type { ClusterConfig, TlsConfig } from '../config/cluster-config.ts';
import { EndpointGuard, hostOf } from '../config/endpoint-guard.ts';
import { secureContextOf } from '../credentials/secure-context.ts';
import { connectionEnded, established } from './established.ts';
import { guardedLookup } from './guarded-lookup.ts';
import { nameLookups, type NameLookups } from '../dns/name-lookups.ts';
import { proxyOf, ProxyRefusal, type Endpoint, type Proxy } from './proxy.ts';
import { toTransportError, TransportError } from '../errors/transport-error.ts';

/** How long one connection may take to be made, DNS, proxy and TLS included, in milliseconds. */
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
  readonly #names: NameLookups;
  readonly #url: URL;
  readonly #serverName: string;
  readonly #tls: TlsConfig;
  readonly #insecure: boolean;
  readonly #proxy: Proxy | undefined;
  readonly #guard: EndpointGuard;
  /** Of the proxy's own address: whom it may lead to is another matter. */
  readonly #proxyGuard: EndpointGuard;
  /** Every socket that is not closed yet, those still connecting too. */
  readonly #sockets = new Set<Socket>();
  #closed = false;
  /** The server's host and port, for messages. */
  readonly host: string;

  /**
   * @param config its `tls` is usable, and without files.
   * @param names resolves host names. Default: the lookups of the process.
   * @throws {TypeError} when its `proxyUrl` or its `endpoints` cannot be used.
   */
  constructor(config: ClusterConfig, clock: Clock, names = nameLookups) {
    this.#clock = clock;
    this.#names = names;
    this.#url = new URL(config.server);
    this.host = this.#url.host;
    this.#serverName = config.tls?.serverName ?? hostOf(this.#url);
    this.#insecure = config.tls?.insecureSkipVerify ?? false;
    this.#tls = config.tls ?? {};
    this.#proxy = proxyOf(config);
    const { endpoints = {} } = config;
    this.#guard = new EndpointGuard(endpoints);
    this.#proxyGuard = new EndpointGuard({ metadataAddresses: endpoints.metadataAddresses ?? true });
  }

  /** Whether connections are encrypted, so that a protocol can be negotiated. */
  get secure(): boolean {
    return this.#url.protocol === 'https:';
  }

  /**
   * @param within the deadline, in milliseconds. Default: 10,000.
   * @throws {TransportError} when there is no connection within the deadline, and after {@link close}.
   */
  async connect(protocols: readonly ApplicationProtocol[], within = CONNECT_DEADLINE): Promise<Socket> {
    if (this.#closed) throw new TransportError('closed', this.host, 'the transport is closed', { unprocessed: true });
    let latest: Socket | undefined;
    let failure: TransportError | undefined;
    const own = (socket: Socket) => {
      latest = this.#own(socket);
      if (failure || this.#closed) socket.destroy();
      return socket;
    };
    const deadline = this.#clock.schedule(within, () => {
      failure = connectTookTooLong(this.host, within);
      latest?.destroy();
    });
    try {
      const socket = await this.#reach(own);
      if (!this.secure) return socket;
      if (socket.destroyed) throw connectionEnded();
      const secured = own(this.#secured(socket, protocols));
      await established(secured, 'secureConnect');
      return secured;
    } catch (cause) {
      latest?.destroy();
      throw failure ?? toTransportError(cause, this.host, { unprocessed: true });
    } finally {
      deadline.cancel();
    }
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

  /** A connection to the server, or one through the proxy to it, without TLS yet. */
  async #reach(own: (socket: Socket) => Socket): Promise<Socket> {
    const target = { host: hostOf(this.#url), port: Number(this.#url.port) || (this.secure ? 443 : 80) };
    const proxy = this.#proxy;
    if (!proxy) {
      const socket = own(this.#dial(target, this.#guard));
      await established(socket, 'connect');
      return socket;
    }
    const refusal = this.#guard.refusal(target.host);
    if (refusal !== undefined) throw this.#disallowed(refusal);
    try {
      const socket = own(this.#dial(proxy.endpoint, this.#proxyGuard));
      await established(socket, 'connect');
      return own(await proxy.tunnel(socket, target));
    } catch (cause) {
      throw proxyFailure(cause, proxy, this.host);
    }
  }

  #dial({ host, port }: Endpoint, guard: EndpointGuard): Socket {
    // An address is not looked up.
    const refusal = isIP(host) ? guard.refusal(host) : undefined;
    if (refusal !== undefined) throw this.#disallowed(refusal);
    const lookup = guardedLookup(this.#names, guard, (reason) => this.#disallowed(reason));
    return connectTcp({ host, port, lookup }).setNoDelay(true).setKeepAlive(true, KEEP_ALIVE);
  }

  #secured(socket: Socket, protocols: readonly ApplicationProtocol[]): Socket {
    return connectTls({
      socket,
      secureContext: secureContextOf(this.#tls),
      // RFC 6066 allows no address as a server name.
      servername: isIP(this.#serverName) ? '' : this.#serverName,
      checkServerIdentity: (_host, certificate) => checkServerIdentity(this.#serverName, certificate),
      rejectUnauthorized: !this.#insecure,
      ALPNProtocols: [...protocols],
    });
  }

  #own(socket: Socket): Socket {
    if (this.#sockets.has(socket)) return socket;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // Whoever the socket is given to is told by its other listeners; between two owners nobody may be listening.
    return socket.on('error', () => undefined);
  }

  #disallowed(reason: string): TransportError {
    return new TransportError('disallowed', this.host, `no connection may lead there: ${reason}`, {
      unprocessed: true,
    });
  }
}

export function connectTookTooLong(host: string, deadline = CONNECT_DEADLINE): TransportError {
  return new TransportError('deadline', host, `no connection within ${deadline} ms`, { unprocessed: true });
}

/** Says that it was the proxy. */
function proxyFailure(cause: unknown, { name }: Proxy, host: string): TransportError {
  if (cause instanceof ProxyRefusal) {
    return new TransportError(cause.code, host, `proxy ${name} ${cause.message}`, { unprocessed: true });
  }
  const { code, message } = toTransportError(cause, `proxy ${name}`);
  return new TransportError(code, host, message, { unprocessed: true, cause });
}
