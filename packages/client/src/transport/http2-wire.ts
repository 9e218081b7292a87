import type { Socket } from 'node:net';
import type { Clock } from '../clock/clock.ts';
import type { Connector } from './connector.ts';
import type { Exchange } from './exchange.ts';
import { Http2Connection } from './http2-connection.ts';
import { SharedAttempt } from './shared-attempt.ts';
import type { PingResult } from './transport.ts';
import { TransportError } from '../errors/transport-error.ts';
import type { Wire, WireRequest, WireResponse } from './wire.ts';

const ANSWERS_ELSEWHERE = 'no answer to a ping, while the server answers on another connection';

/** Sends requests over one HTTP/2 connection. Opens another one if the server allows no more streams on the first. */
export class Http2Wire implements Wire {
  readonly #connector: Connector;
  readonly #url: URL;
  readonly #clock: Clock;
  readonly #onEmpty: () => void;
  readonly #connections = new Set<Http2Connection>();
  /** The opening of another connection. */
  readonly #growing: SharedAttempt<void>;
  #retired = false;

  private constructor(connector: Connector, url: URL, clock: Clock, onEmpty: () => void) {
    this.#connector = connector;
    this.#url = url;
    this.#clock = clock;
    this.#onEmpty = onEmpty;
    this.#growing = new SharedAttempt((deadline) => this.#grow(deadline), clock);
  }

  /** Creates a wire with its first connection. @param options.onEmpty called when the last connection has closed. */
  static async start(
    socket: Socket,
    options: { connector: Connector; url: URL; clock: Clock; onEmpty: () => void },
  ): Promise<Http2Wire> {
    const wire = new Http2Wire(options.connector, options.url, options.clock, options.onEmpty);
    await wire.#add(socket);
    return wire;
  }

  async open(request: WireRequest, exchange: Exchange): Promise<WireResponse> {
    // The stream is opened synchronously after the check, so no other request can take its place.
    while (!this.#retired) {
      for (const connection of this.#connections) {
        if (connection.hasRoom) return connection.open(request, exchange);
      }
      await exchange.until(this.#grown());
    }
    throw new TransportError('reset', this.#url.host, 'the connection was closed', { unprocessed: true });
  }

  /** See `Transport.ping`. */
  async ping(timeout: number): Promise<PingResult> {
    if (this.#growing.isPending) return this.#growing.ping(timeout);
    const results = await Promise.all(Array.from(this.#connections, (connection) => connection.ping(timeout)));
    if (results.includes('answered')) return 'answered';
    return results.includes('silent') ? 'silent' : 'unknown';
  }

  retire(): void {
    this.#retired = true;
    for (const connection of this.#connections) connection.retire();
  }

  async close(): Promise<void> {
    this.#retired = true;
    await Promise.all(Array.from(this.#connections, (connection) => connection.close()));
  }

  async #grown(): Promise<void> {
    try {
      await this.#growing.join();
    } finally {
      this.#endWhenEmpty();
    }
  }

  async #grow(deadline?: number): Promise<void> {
    await this.#add(await this.#connector.connect(['h2'], deadline));
  }

  async #add(socket: Socket): Promise<void> {
    const connection = await Http2Connection.start(socket, this.#url, this.#clock);
    if (this.#retired) return connection.close();
    if (!connection.hasRoom) {
      await connection.close();
      throw new TransportError('protocol', this.#url.host, 'the server allows no streams on a new connection', {
        unprocessed: true,
      });
    }
    // The server answers on a new connection, so a connection that is still silent has lost its peer.
    for (const other of this.#connections) if (other.isSilent) other.giveUp(ANSWERS_ELSEWHERE);
    this.#connections.add(connection);
    void connection.closed.then(() => {
      this.#connections.delete(connection);
      this.#endWhenEmpty();
    });
  }

  #endWhenEmpty(): void {
    if (this.#retired || this.#connections.size > 0 || this.#growing.isPending) return;
    this.#retired = true;
    this.#onEmpty();
  }
}
