import type { Clock } from '../clock/clock.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import type { Logger } from '../log/logger.ts';
import { Connector } from './connector.ts';
import type { Exchange } from './exchange.ts';
import { Http1Wire } from './http1-wire.ts';
import { Http2Wire } from './http2-wire.ts';
import { SharedAttempt } from './shared-attempt.ts';
import type { PingResult } from './transport.ts';
import { isTransportError } from '../errors/transport-error.ts';
import type { Wire, WireRequest, WireResponse } from './wire.ts';

export interface ConnectionsOptions {
  readonly url: URL;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The connections of a transport. They use the server's protocol, and one client certificate at a time. */
export class Connections {
  readonly #url: URL;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #connector: Connector;
  /** Connectors with previous credentials, while their requests are in flight. */
  readonly #retired = new Set<Connector>();
  /** Carries the requests. Created by the first request, and again after its connections closed. */
  #wire: Wire | undefined;
  /** The creation of {@link #wire}. */
  readonly #connecting: SharedAttempt<Wire>;
  #closed = false;

  constructor(config: ClusterConfig, { url, clock, logger }: ConnectionsOptions) {
    this.#url = url;
    this.#clock = clock;
    this.#logger = logger;
    this.#connector = new Connector(config, clock);
    this.#connecting = new SharedAttempt((deadline) => this.#connect(deadline), clock);
  }

  /**
   * Sends a request. Sends it once more if its connection closed before the server received it.
   *
   * @param makeRequest builds the request once there is a connection, because its client certificate may have changed.
   */
  async open(makeRequest: () => WireRequest, exchange: Exchange): Promise<WireResponse> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const wire = this.#wire ?? (await exchange.until(this.#connecting.join()));
        return await exchange.until(wire.open(makeRequest(), exchange));
      } catch (error) {
        const lost = isTransportError(error) && error.code === 'reset' && error.unprocessed;
        if (!lost || exchange.failure || attempt === 2) throw error;
        this.#logger.debug('retrying request', { error });
      }
    }
  }

  /** See `Transport.ping`. */
  async ping(timeout: number): Promise<PingResult> {
    return (this.#wire ?? this.#connecting).ping(timeout);
  }

  /** Opens new connections with `config` from now on. Existing connections close after their last request. */
  renew(config: ClusterConfig): void {
    if (this.#closed) return;
    const previous = this.#connector;
    this.#connector = new Connector(config, this.#clock);
    this.#wire?.retire();
    this.#wire = undefined;
    this.#retired.add(previous);
    void previous.drained().then(() => this.#retired.delete(previous));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#wire?.close();
    await Promise.all(Array.from([this.#connector, ...this.#retired], (connector) => connector.close()));
  }

  async #connect(deadline?: number): Promise<Wire> {
    for (;;) {
      const connector = this.#connector;
      try {
        const wire = await this.#negotiate(connector, deadline);
        const isCurrent = connector === this.#connector;
        if (isCurrent && !this.#wire) return (this.#wire = wire);
        wire.retire();
        // Another attempt was faster.
        if (isCurrent && this.#wire) return this.#wire;
      } catch (error) {
        if (connector === this.#connector) throw error;
      }
      // The credentials were replaced while connecting: connect again, and ignore failures of the previous ones.
    }
  }

  /** Opens the first connection, with which the server chooses the protocol. */
  async #negotiate(connector: Connector, deadline?: number): Promise<Wire> {
    if (!connector.secure) return new Http1Wire(connector, this.#url);
    const socket = await connector.connect(['h2', 'http/1.1'], deadline);
    if (!('alpnProtocol' in socket) || socket.alpnProtocol !== 'h2') {
      socket.destroy();
      return new Http1Wire(connector, this.#url);
    }
    const wire: Http2Wire = await Http2Wire.start(socket, {
      connector,
      url: this.#url,
      clock: this.#clock,
      onEmpty: () => {
        if (this.#wire === wire) this.#wire = undefined;
      },
    });
    return wire;
  }
}
