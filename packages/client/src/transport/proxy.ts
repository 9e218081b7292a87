import { isIP, isIPv6, type Socket } from 'node:net';
import { connect as connectTls, getCACertificates } from 'node:tls';
import type { ClusterConfig, ProxyAuth } from '../config/cluster-config.ts';
import { hostOf } from '../config/endpoint-guard.ts';
import { withProxyAuth } from '../config/proxy-auth.ts';
import { connectionEnded, established } from './established.ts';
import { request as sendRequest, STATUS_CODES } from './node-http.ts';
import type { TransportErrorCode } from '../errors/transport-error.ts';

/** A host as a socket takes it, an IPv6 address without brackets, and its port. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Leads connections to where this machine does not reach by itself. */
export interface Proxy {
  readonly endpoint: Endpoint;
  /** Host and port of the proxy, for messages. */
  readonly name: string;
  /**
   * A socket that leads to `target` by way of the proxy that `socket` is connected to.
   *
   * @throws {ProxyRefusal} when the proxy does not want to.
   */
  tunnel(socket: Socket, target: Endpoint): Promise<Socket>;
}

/** The proxy answered, and does not connect. */
export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal';
  readonly code: TransportErrorCode;

  constructor(code: TransportErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'socks5:': 1080,
  'socks5h:': 1080,
};

/** In bytes: RFC 1929 has one byte for the length of a user name, and one for that of a password. */
const LONGEST_SOCKS_TEXT = 255;

/**
 * The proxy of a config, if it names one.
 *
 * @throws {TypeError} when `proxyUrl` cannot be used. What it holds is not shown: it may be a password.
 */
export function proxyOf(config: ClusterConfig): Proxy | undefined {
  const { proxyUrl, proxyAuth: credentials, tls } = withProxyAuth(config);
  if (proxyUrl === undefined) return undefined;
  const url = URL.parse(proxyUrl);
  const port = url && (Number(url.port) || DEFAULT_PORTS[url.protocol]);
  if (!url?.hostname || !port) {
    throw new TypeError('proxyUrl must be a URL that begins with http://, https://, socks5:// or socks5h://');
  }
  const endpoint = { host: hostOf(url), port };
  if (url.username || url.password) {
    throw new TypeError('the user name or password in proxyUrl is not percent-encoded as it should be');
  }
  if (url.protocol.startsWith('socks')) return socksProxy(endpoint, credentials);
  return httpProxy(endpoint, credentials, url.protocol === 'https:' ? { caData: tls?.caData } : undefined);
}

/** `CONNECT` of RFC 9110 section 9.3.6, for servers with and without TLS. */
function httpProxy(
  endpoint: Endpoint,
  credentials: ProxyAuth | undefined,
  tls: { readonly caData: string | undefined } | undefined,
): Proxy {
  return {
    endpoint,
    name: authority(endpoint),
    async tunnel(socket, target) {
      if (!tls) return connectOver(socket, target, credentials);
      const secured = connectTls({
        socket,
        // The proxy need not be known to the authority of the cluster, nor the other way round.
        ca: [...getCACertificates('default'), ...(tls.caData === undefined ? [] : [tls.caData])],
        // RFC 6066 allows no address as a server name.
        servername: isIP(endpoint.host) ? '' : endpoint.host,
        host: endpoint.host,
      });
      // Between two owners nobody may be listening.
      secured.on('error', () => undefined);
      await established(secured, 'secureConnect');
      return connectOver(secured, target, credentials);
    },
  };
}

function connectOver(socket: Socket, target: Endpoint, credentials: ProxyAuth | undefined): Promise<Socket> {
  const path = authority(target);
  return new Promise((resolve, reject) => {
    sendRequest({
      method: 'CONNECT',
      path,
      headers: { host: path, ...(credentials && { 'proxy-authorization': basic(credentials) }) },
      createConnection: () => socket,
    })
      .once('connect', ({ statusCode = 0 }) => {
        if (statusCode >= 200 && statusCode <= 299) {
          resolve(socket);
          return;
        }
        const answer = `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim();
        const code = statusCode === 407 ? 'credentials' : 'refused';
        reject(new ProxyRefusal(code, `does not connect to the server: it answered ${answer}`));
      })
      .once('error', reject)
      .end();
  });
}

/** SOCKS 5 (RFC 1928). As in client-go, it is the proxy that resolves the server's name. */
function socksProxy(endpoint: Endpoint, credentials: ProxyAuth | undefined): Proxy {
  // The library would throw where nobody catches it.
  const { username = '', password = '' } = credentials ?? {};
  if ([username, password].some((text) => Buffer.byteLength(text) > LONGEST_SOCKS_TEXT)) {
    throw new TypeError(
      `the user name and password in proxyUrl must have at most ${LONGEST_SOCKS_TEXT} bytes each: SOCKS knows no longer ones`,
    );
  }
  return {
    endpoint,
    name: authority(endpoint),
    async tunnel(socket, target) {
      const { SocksClient, SocksClientError } = await import('socks');
      if (socket.destroyed) throw connectionEnded();
      const account = credentials && { userId: credentials.username, password: credentials.password };
      try {
        const proxy = { ...endpoint, type: 5, ...account } as const;
        await SocksClient.createConnection({ proxy, command: 'connect', destination: target, existing_socket: socket });
        return socket;
      } catch (cause) {
        // Its errors carry the options, and so the password: neither they nor what they were caused by go any further.
        if (!(cause instanceof SocksClientError)) throw cause;
        const code = /authentication/i.test(cause.message) ? 'credentials' : 'refused';
        throw new ProxyRefusal(code, `does not connect to the server: ${cause.message}`);
      }
    },
  };
}

function basic({ username, password }: ProxyAuth): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function authority({ host, port }: Endpoint): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
