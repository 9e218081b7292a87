import { PassThrough } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { systemClock, type Clock, type Timer } from '../clock/clock.ts';
import { checkConfig } from '../config/check-config.ts';
import type { ClusterConfig, TlsConfig } from '../config/cluster-config.ts';
import { configChange } from '../config/config-change.ts';
import { printable } from '../config/redaction.ts';
import type { HeaderFields } from '../credentials/credential-source.ts';
import { createIdentity, type Credentials } from '../credentials/identity.ts';
import { RotatingIdentity } from '../credentials/rotating-identity.ts';
import { withoutEchoes } from './without-echoes.ts';
import { silentLogger, type Logger } from '../log/logger.ts';
import { shortened } from '../text/shortened.ts';
import type { ClientMetrics } from './client-metrics.ts';
import { Connections } from './connections.ts';
import { Exchange } from './exchange.ts';
import { piped } from './piped.ts';
import { Response } from './response.ts';
import { responseLimits, type ResponseLimits } from './response-limits.ts';
import { RequestMeter } from './request-meter.ts';
import { RequestRate } from './request-rate.ts';
import { RetryingTransport } from './retrying-transport.ts';
import { basePathOf, serverUrl } from './server-url.ts';
import type { PingResult, Transport, TransportRequest, TransportResponse } from './transport.ts';
import { isTransportError, toTransportError, TransportError } from '../errors/transport-error.ts';
import type { WireRequest, WireResponse } from './wire.ts';

const REQUEST_TIMEOUT = 30_000;
/** Time after which a request with `testsConnection` sends a ping, in milliseconds. */
const PING_AFTER = 100;
/** Time after which such a request fails if its connection is silent, in milliseconds. */
const SILENCE_DEADLINE = 1_000;
/** Maximum size of a host name, in bytes, as in the DNS. */
const MAX_HOST_BYTES = 253;
const USER_AGENT = `mcr/${manifest.version}`;

/** Options of {@link createTransport}. */
export interface TransportOptions {
  /** Logger of the transport. Default: nothing is logged. */
  readonly logger?: Logger;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Receives measurements of requests. Default: none. */
  readonly metrics?: ClientMetrics;
  /** Maximum response sizes. Default: see each limit. */
  readonly limits?: ResponseLimits;
  /** Numbers in [0, 1), for the jitter of retry delays. Default: `Math.random`. */
  readonly random?: () => number;
}

/**
 * Creates a transport to the server of `config`. It connects with the first request, with HTTP/2 over TLS if the server
 * supports it, otherwise with HTTP/1.1. It retries requests when that is safe, within the deadline of the request.
 *
 * @throws {TypeError} if `config` or a limit is not valid; the message names the field.
 */
export function createTransport(config: ClusterConfig, options: TransportOptions = {}): Transport {
  const { logger = silentLogger, clock = systemClock, metrics, random = Math.random } = options;
  const transport = new HttpTransport(config, { ...options, logger, clock });
  return new RetryingTransport(transport, {
    clock,
    logger,
    metrics,
    random,
    host: transport.host,
    defaultTimeout: () => transport.requestTimeout,
  });
}

type HttpTransportOptions = TransportOptions & Required<Pick<TransportOptions, 'logger' | 'clock'>>;

interface Authenticated {
  readonly response: WireResponse;
  /** The credentials that the request was sent with. */
  readonly credentials: Credentials;
}

class HttpTransport implements Transport {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #url: URL;
  readonly #basePath: string;
  readonly #meter: RequestMeter;
  readonly #limits: Required<ResponseLimits>;
  readonly #exchanges = new Set<Exchange>();
  #config: ClusterConfig;
  readonly #identity: RotatingIdentity;
  readonly #credentialListeners = new Set<() => void>();
  #rate: RequestRate;
  readonly #connections: Connections;
  /** TLS settings of {@link #connections}. */
  #tls: TlsConfig | undefined;
  /** The credentials that {@link #tls} belongs to. */
  #latest: Credentials | undefined;
  readonly #closing = new AbortController();

  constructor(config: ClusterConfig, { logger, clock, metrics, limits }: HttpTransportOptions) {
    this.#logger = logger;
    this.#clock = clock;
    checkConfig(config);
    this.#url = serverUrl(config);
    this.#basePath = basePathOf(this.#url);
    this.#meter = new RequestMeter(metrics, this.host, clock);
    this.#limits = responseLimits('createTransport', limits);
    this.#config = printable(config);
    this.#identity = new RotatingIdentity(createIdentity(this.#config, this.host, clock), (credentials) =>
      this.#onCredentials(credentials),
    );
    this.#tls = this.#config.tls;
    this.#connections = new Connections(this.#config, { url: this.#url, clock, logger });
    this.#rate = new RequestRate(config, clock);
  }

  /** The server's host and port. */
  get host(): string {
    return this.#url.host;
  }

  /** Default deadline of a request, in milliseconds. */
  get requestTimeout(): number {
    return this.#config.requestTimeout ?? REQUEST_TIMEOUT;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    if (this.#closing.signal.aborted) throw this.#closedError();
    const exchange = new Exchange(request, {
      host: this.#url.host,
      timeout: request.timeout ?? this.requestTimeout,
      clock: this.#clock,
      onEnd: (ended) => this.#exchanges.delete(ended),
    });
    this.#exchanges.add(exchange);
    const test = request.testsConnection ? this.#testConnection(exchange) : undefined;
    try {
      if (this.#config.qps) await exchange.until(this.#meter.rateLimited(request, this.#rate.next(exchange.signal)));
      const { response: received, credentials } = await this.#sendAuthenticated(request, exchange);
      const limited: keyof ResponseLimits = received.status >= 300 ? 'refusal' : (request.purpose ?? 'object');
      const options = {
        host: this.host,
        limit: { name: limited, bytes: this.#limits[limited] },
        total: limited === 'list' ? request.total : undefined,
        onRead: this.#meter.reader(request),
      };
      const response = withoutEchoes(new Response(received, exchange, options), credentials.headers);
      refuseRedirect(response, this.host);
      return response;
    } catch (cause) {
      exchange.end();
      const error = exchange.failure ?? toTransportError(cause, this.#url.host);
      if (isTransportError(error) && error.code === 'untrusted') this.#identity.tlsFailed();
      throw error;
    } finally {
      test?.cancel();
    }
  }

  #testConnection(exchange: Exchange): Timer {
    const test = async (): Promise<void> => {
      if ((await this.ping(SILENCE_DEADLINE - PING_AFTER)) !== 'silent') return;
      exchange.fail(new TransportError('deadline', this.host, `the connection was silent for ${SILENCE_DEADLINE} ms`));
    };
    return this.#clock.schedule(PING_AFTER, () => void test());
  }

  async rotate(config: ClusterConfig): Promise<void> {
    if (this.#closing.signal.aborted) throw this.#closedError();
    if (configChange(this.#config, config) === 'endpoint') {
      throw new TypeError(
        `config is for another endpoint than ${this.#config.server}: create a new transport for another endpoint`,
      );
    }
    checkConfig(config);
    const renewed = printable(config);
    this.#identity.replace(createIdentity(renewed, this.host, this.#clock));
    this.#rate = new RequestRate(renewed, this.#clock);
    this.#config = renewed;
    try {
      await this.#identity.current(this.#closing.signal);
    } catch (error) {
      // Each request tries again, and fails if there are still no credentials.
      this.#logger.warn('no credentials available after rotation', { error });
    }
  }

  onCredentials(listener: () => void): () => void {
    this.#credentialListeners.add(listener);
    return () => this.#credentialListeners.delete(listener);
  }

  ping(timeout: number): Promise<PingResult> {
    return this.#connections.ping(timeout);
  }

  async close(): Promise<void> {
    this.#closing.abort(this.#closedError());
    this.#identity.close();
    for (const exchange of this.#exchanges) exchange.fail(this.#closedError());
    await this.#connections.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Sends a request, and once more after a 401 if the credentials have changed. */
  async #sendAuthenticated(request: TransportRequest, exchange: Exchange): Promise<Authenticated> {
    const first = await this.#sendAs(await this.#current(exchange), request, exchange);
    const { response, credentials } = first;
    if (response.status !== 401) return first;
    // Node.js discards the body of an HTTP/2 stream that ends before it is read.
    const body = piped(response.body, new PassThrough());
    this.#identity.rejected(credentials);
    const renewed = await this.#current(exchange);
    if (renewed === credentials) return { response: { ...response, body }, credentials };
    response.body.destroy();
    const second = await this.#sendAs(renewed, request, exchange);
    if (second.response.status === 401) this.#identity.rejected(second.credentials);
    return second;
  }

  #current(exchange: Exchange): Credentials | Promise<Credentials> {
    return this.#identity.constant ?? exchange.until(this.#identity.current(exchange.signal));
  }

  async #sendAs(given: Credentials, request: TransportRequest, exchange: Exchange): Promise<Authenticated> {
    let credentials = given;
    const makeRequest = () => {
      // If the client certificate was replaced, the headers of the previous credentials may not be valid with it.
      if (!sameClientCertificate(credentials.tls, this.#tls)) credentials = this.#latest ?? given;
      return this.#wireRequest(request, credentials.headers);
    };
    const response = await this.#meter.requested(request, this.#connections.open(makeRequest, exchange));
    exchange.headersArrived(response);
    return { response, credentials };
  }

  /** The TLS handshake authenticates a connection, so another client certificate needs new connections. */
  #onCredentials(credentials: Credentials): void {
    const { tls } = credentials;
    this.#latest = credentials;
    if (!isDeepStrictEqual(tls, this.#tls)) {
      const previous = this.#tls;
      this.#tls = tls;
      this.#connections.renew({ ...this.#config, ...(tls && { tls }) });
      if (!sameClientCertificate(tls, previous)) this.#endStreams();
    }
    // Custom headers may differ for each request, so a change does not mean that the server accepts them now.
    if (this.#config.auth?.type === 'custom') return;
    for (const listener of this.#credentialListeners) listener();
  }

  #endStreams(): void {
    for (const exchange of this.#exchanges) {
      if (exchange.isStream) exchange.fail(new TransportError('rotated', this.#url.host, 'credentials were replaced'));
    }
  }

  #wireRequest({ method, path, headers, body, streaming }: TransportRequest, credentials: HeaderFields): WireRequest {
    return {
      method,
      path: this.#basePath + path,
      headers: {
        'user-agent': this.#config.userAgent ?? USER_AGENT,
        // Compression would delay the events of a watch until a block is full.
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

/** Whether two TLS settings have the same client certificate. */
function sameClientCertificate(one: TlsConfig | undefined, other: TlsConfig | undefined): boolean {
  return one?.certData === other?.certData && one?.keyData === other?.keyData;
}

/** Refuses redirects: following one would send the credentials to another server. A 304 is not a redirect. */
function refuseRedirect({ status, headers }: TransportResponse, host: string): void {
  if (status < 300 || status > 399 || status === 304) return;
  // Names only the host, because the rest of the URL may be a credential.
  const target = shortened(URL.parse(headers['location'] ?? '', `https://${host}`)?.host ?? 'nowhere', MAX_HOST_BYTES);
  throw new TransportError(
    'redirected',
    host,
    `answered ${status} with a redirect to ${target}, which is not followed`,
  );
}
