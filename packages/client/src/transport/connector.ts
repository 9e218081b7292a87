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

/** Deadline for opening one connection, including DNS, proxy and TLS, in milliseconds. */
export const CONNECT_DEADLINE = 10_000;

/**
 * Time without packets after which the system sends TCP keep-alive probes, in milliseconds. The peer has ten seconds to
 * respond. HTTP/1.1 has no pings.
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
  /** Rules for the proxy's own address. */
  readonly #proxyGuard: EndpointGuard;
  /** All sockets that are not closed, including sockets that are still connecting. */
  readonly #sockets = new Set<Socket>();
  #closed = false;
  /** The server's host and port, for messages. */
  readonly host: string;

  /**
   * @param config must have a valid `tls` with contents instead of files.
   * @param names resolves host names. Default: the lookups of the process.
   * @throws {TypeError} if `proxyUrl` or `endpoints` is not valid.
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
   * Opens a connection to the server.
   *
   * @param within deadline, in milliseconds. Default: 10,000.
   * @throws {TransportError} if the connection fails or is not open within the deadline, and after {@link close}.
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

  /** Resolves when all sockets that are open now have closed. */
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

  /** Opens a connection to the server, directly or through the proxy, without TLS. */
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
    // The lookup is skipped for an address, so the address is checked here.
    const refusal = isIP(host) ? guard.refusal(host) : undefined;
    if (refusal !== undefined) throw this.#disallowed(refusal);
    const lookup = guardedLookup(this.#names, guard, (reason) => this.#disallowed(reason));
    return connectTcp({ host, port, lookup }).setNoDelay(true).setKeepAlive(true, KEEP_ALIVE);
  }

  #secured(socket: Socket, protocols: readonly ApplicationProtocol[]): Socket {
    return connectTls({
      socket,
      secureContext: secureContextOf(this.#tls),
      // RFC 6066 does not allow an address as a server name.
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
    // The users of the socket have their own listeners, but there may be none while it is passed from one to the next.
    return socket.on('error', () => undefined);
  }

  #disallowed(reason: string): TransportError {
    return new TransportError('disallowed', this.host, `connection not allowed: ${reason}`, {
      unprocessed: true,
    });
  }
}

export function connectTookTooLong(host: string, deadline = CONNECT_DEADLINE): TransportError {
  return new TransportError('deadline', host, `no connection within ${deadline} ms`, { unprocessed: true });
}

/** Returns an error that names the proxy. */
function proxyFailure(cause: unknown, { name }: Proxy, host: string): TransportError {
  if (cause instanceof ProxyRefusal) {
    return new TransportError(cause.code, host, `proxy ${name} ${cause.message}`, { unprocessed: true });
  }
  const { code, message } = toTransportError(cause, `proxy ${name}`);
  return new TransportError(code, host, message, { unprocessed: true, cause });
}
