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

/** The connections of a transport: of the protocol that the server speaks, and of one owner at a time. */
export class Connections {
  readonly #url: URL;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #connector: Connector;
  /** Connectors of former owners, while requests made with those are under way. */
  readonly #retired = new Set<Connector>();
  /** What requests go over: made by the first request, and anew when its connections have gone. */
  #wire: Wire | undefined;
  /** The making of {@link #wire}. */
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
   * Sends the request, and once more when the connection it was given to had gone before the server saw it.
   *
   * @param requestNow makes the request when there is a connection: its owner may be another one by then.
   */
  async open(requestNow: () => WireRequest, exchange: Exchange): Promise<WireResponse> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const wire = this.#wire ?? (await exchange.until(this.#connecting.join()));
        return await exchange.until(wire.open(requestNow(), exchange));
      } catch (error) {
        const lost = isTransportError(error) && error.code === 'reset' && error.unprocessed;
        if (!lost || exchange.failure || attempt === 2) throw error;
        this.#logger.debug('sending a request again', { error });
      }
    }
  }

  /** See `Transport.ping`. */
  async ping(timeout: number): Promise<PingResult> {
    return (this.#wire ?? this.#connecting).ping(timeout);
  }

  /** New connections are made with `config` from now on; those there are close when their last request has ended. */
  renew(config: ClusterConfig): void {
    if (this.#closed) return;
    const former = this.#connector;
    this.#connector = new Connector(config, this.#clock);
    this.#wire?.retire();
    this.#wire = undefined;
    this.#retired.add(former);
    void former.drained().then(() => this.#retired.delete(former));
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
      // Credentials were replaced meanwhile: the former ones are neither used for anything new nor complained of.
    }
  }

  /** The protocol is the server's choice, made with the first connection. */
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
