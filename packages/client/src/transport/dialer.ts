import type { Duplex } from 'node:stream';
import { systemClock, type Clock } from '../clock/clock.ts';
import { orAborted } from '../clock/or-aborted.ts';
import { checkConfig } from '../config/check-config.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { printable } from '../config/redaction.ts';
import { createIdentity, type Credentials, type Identity } from '../credentials/identity.ts';
import { Connector } from './connector.ts';
import { basePathOf, serverUrl } from './server-url.ts';

/** Options of {@link createDialer}. */
export interface DialerOptions {
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** A connection to an API server on which nothing has been sent. */
export interface DialedConnection {
  /** Carries HTTP/1.1, inside TLS if the server's URL begins with `https://`. The caller destroys it. */
  readonly socket: Duplex;
  /** The server's host and port, for the header `host`. */
  readonly host: string;
  /** The base path of the server's URL, without a slash at the end. Paths of requests begin with it. */
  readonly basePath: string;
  /** The credentials of a request, as header fields. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Reports that the server rejected the credentials (401). They are renewed if they may be stale. */
  rejected(): void;
}

/** Opens connections to one API server, for requests that upgrade them to another protocol. */
export interface Dialer extends Disposable {
  /**
   * Opens a connection: through the proxy of the config, to an endpoint that it allows, with its TLS settings.
   *
   * @throws {TransportError} if there is no connection within 10 seconds, or no credentials.
   * @throws the reason of `signal` if it aborts first.
   */
  dial(signal: AbortSignal): Promise<DialedConnection>;
  /**
   * Returns the credentials of a request, as header fields. A client certificate is not part of them.
   *
   * @throws {TransportError} with the code `credentials`, if they cannot be obtained.
   */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string | readonly string[]>>>;
  /** Aborts operations that obtain credentials. Connections stay open. */
  close(): void;
}

/**
 * Creates a dialer for the server of `config`. Unlike a transport, it leaves the protocol to the caller. It is meant for
 * subresources that upgrade a connection, such as `portforward`. (Upstream: client-go's `transport/websocket`.)
 *
 * @throws {TypeError} if `config` is not valid; the message names the field.
 */
export function createDialer(config: ClusterConfig, { clock = systemClock }: DialerOptions = {}): Dialer {
  return new ServerDialer(config, clock);
}

class ServerDialer implements Dialer {
  readonly #config: ClusterConfig;
  readonly #clock: Clock;
  readonly #url: URL;
  readonly #identity: Identity;

  constructor(config: ClusterConfig, clock: Clock) {
    checkConfig(config);
    this.#config = printable(config);
    this.#clock = clock;
    this.#url = serverUrl(config);
    this.#identity = createIdentity(this.#config, this.#url.host, clock);
  }

  async dial(signal: AbortSignal): Promise<DialedConnection> {
    const credentials = await this.#credentials(signal);
    const { headers, tls } = credentials;
    const connector = new Connector({ ...this.#config, ...(tls && { tls }) }, this.#clock);
    try {
      const socket = await orAborted(connector.connect(['http/1.1']), signal);
      const rejected = (): void => this.#identity.rejected(credentials);
      return { socket, host: this.#url.host, basePath: basePathOf(this.#url), headers, rejected };
    } catch (error) {
      await connector.close();
      throw error;
    }
  }

  async headers(signal: AbortSignal): Promise<Readonly<Record<string, string | readonly string[]>>> {
    return (await this.#credentials(signal)).headers;
  }

  close(): void {
    this.#identity.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #credentials(signal: AbortSignal): Promise<Credentials> {
    signal.throwIfAborted();
    return await orAborted(this.#identity.current(signal), signal);
  }
}
