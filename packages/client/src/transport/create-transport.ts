import manifest from '../../package.json' with { type: 'json' };
import { systemClock, type Clock } from '../clock/clock.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { configChange } from '../config/config-change.ts';
import { printable } from '../config/redaction.ts';
import { silentLogger, type Logger } from '../log/logger.ts';
import { Connector } from './connector.ts';
import { createCredentials, type Credentials } from './credentials.ts';
import { Exchange } from './exchange.ts';
import { Http1Wire } from './http1-wire.ts';
import { Http2Wire } from './http2-wire.ts';
import { Response } from './response.ts';
import { RequestRate } from './request-rate.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { isTransportError, toTransportError, TransportError } from './transport-error.ts';
import type { HeaderFields, Wire, WireRequest, WireResponse } from './wire.ts';

const REQUEST_TIMEOUT = 30_000;
const USER_AGENT = `mcr/${manifest.version}`;

export interface TransportOptions {
  /** Default: logs nothing. */
  readonly logger?: Logger;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/**
 * A transport to the server of `config`. It connects with the first request: by HTTP/2 over TLS where the server
 * speaks it, else by HTTP/1.1.
 *
 * @throws {TypeError} when `config` cannot be used; the message names the field.
 */
export function createTransport(config: ClusterConfig, options: TransportOptions = {}): Transport {
  return new HttpTransport(config, options);
}

class HttpTransport implements Transport {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #url: URL;
  readonly #basePath: string;
  readonly #exchanges = new Set<Exchange>();
  #config: ClusterConfig;
  #credentials: Credentials;
  #rate: RequestRate;
  #connector: Connector;
  /** Connectors of former client certificates, while requests made with those are under way. */
  readonly #retired = new Set<Connector>();
  /** What requests go over: made by the first request, and anew when its connections have gone. */
  #wire: Wire | undefined;
  /** The making of {@link #wire}, shared by all who wait for it. */
  #connecting: Promise<Wire> | undefined;
  #closed = false;

  constructor(config: ClusterConfig, { logger = silentLogger, clock = systemClock }: TransportOptions) {
    this.#logger = logger;
    this.#clock = clock;
    this.#url = serverUrl(config);
    this.#basePath = this.#url.pathname.replace(/\/+$/, '');
    this.#config = printable(config);
    this.#connector = new Connector(config, clock);
    this.#credentials = createCredentials(config, this.#url.host, clock);
    this.#rate = new RequestRate(config, clock);
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    if (this.#closed) throw this.#closedError();
    const exchange = new Exchange(request, {
      host: this.#url.host,
      timeout: request.timeout ?? this.#config.requestTimeout ?? REQUEST_TIMEOUT,
      clock: this.#clock,
      onEnd: (ended) => this.#exchanges.delete(ended),
    });
    this.#exchanges.add(exchange);
    try {
      await exchange.until(this.#rate.next(exchange.signal));
      const headers = await exchange.until(this.#credentials.headers(exchange.signal));
      const response = await this.#open(this.#wireRequest(request, headers), exchange);
      exchange.headersArrived(response);
      if (response.status === 401) this.#credentials.rejected();
      return new Response(response, exchange, this.#url.host);
    } catch (cause) {
      exchange.end();
      throw exchange.failure ?? toTransportError(cause, this.#url.host);
    }
  }

  rotate(config: ClusterConfig): Promise<void> {
    return Promise.resolve().then(() => this.#rotate(config));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const exchange of this.#exchanges) exchange.fail(this.#closedError());
    await this.#wire?.close();
    await Promise.all(Array.from([this.#connector, ...this.#retired], (connector) => connector.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Sends the request, and once more when the connection it was given to had gone before the server saw it. */
  async #open(request: WireRequest, exchange: Exchange): Promise<WireResponse> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const wire = this.#wire ?? (await exchange.until(this.#connected()));
        return await exchange.until(wire.open(request, exchange));
      } catch (error) {
        const lost = isTransportError(error) && error.code === 'reset' && error.unprocessed;
        if (!lost || exchange.failure || attempt === 2) throw error;
        this.#logger.debug('sending a request again', { method: request.method, error });
      }
    }
  }

  #connected(): Promise<Wire> {
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  async #connect(): Promise<Wire> {
    for (;;) {
      const connector = this.#connector;
      try {
        const wire = await this.#negotiate(connector);
        if (connector === this.#connector) return (this.#wire = wire);
        wire.retire();
      } catch (error) {
        if (connector === this.#connector) throw error;
      }
      // Credentials were replaced meanwhile: the former ones are neither used for anything new nor complained of.
    }
  }

  /** The protocol is the server's choice, made with the first connection. */
  async #negotiate(connector: Connector): Promise<Wire> {
    if (!connector.secure) return new Http1Wire(connector, this.#url);
    const socket = await connector.connect(['h2', 'http/1.1']);
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

  #rotate(config: ClusterConfig): void {
    if (configChange(this.#config, config) === 'endpoint') {
      throw new TypeError(`another endpoint needs another transport: this one is for ${this.#config.server}`);
    }
    const renewed = printable(config);
    const credentials = createCredentials(renewed, this.#url.host, this.#clock);
    const sameIdentity =
      renewed.tls?.certData === this.#config.tls?.certData && renewed.tls?.keyData === this.#config.tls?.keyData;
    if (!sameIdentity) this.#replaceConnector(new Connector(renewed, this.#clock));
    this.#credentials = credentials;
    this.#rate = new RequestRate(renewed, this.#clock);
    this.#config = renewed;
  }

  /** Who a connection belongs to is settled by its TLS handshake: another client certificate needs other connections. */
  #replaceConnector(connector: Connector): void {
    const former = this.#connector;
    this.#connector = connector;
    this.#wire?.retire();
    this.#wire = undefined;
    for (const exchange of this.#exchanges) {
      if (exchange.streaming) exchange.fail(new TransportError('rotated', this.#url.host, 'credentials were replaced'));
    }
    this.#retired.add(former);
    void former.drained().then(() => this.#retired.delete(former));
  }

  #wireRequest({ method, path, headers, body, streaming }: TransportRequest, credentials: HeaderFields): WireRequest {
    return {
      method,
      path: this.#basePath + path,
      headers: {
        'user-agent': this.#config.userAgent ?? USER_AGENT,
        // A compressed watch would hold events back until a block is full.
        ...(!streaming && { 'accept-encoding': 'gzip' }),
        ...headers,
        ...credentials,
      },
      body,
    };
  }

  #closedError(): TransportError {
    return new TransportError('closed', this.#url.host, 'the transport is closed');
  }
}

function serverUrl({ server, proxyUrl }: ClusterConfig): URL {
  const url = URL.parse(server);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('server must be an absolute URL that begins with https:// or http://');
  }
  if (url.username || url.password) throw new TypeError('server must not contain credentials: they belong in auth');
  if (proxyUrl !== undefined) throw new TypeError('proxyUrl cannot be used yet: the server must be reachable directly');
  return url;
}
