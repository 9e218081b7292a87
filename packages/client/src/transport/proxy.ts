import { isIP, isIPv6, type Socket } from 'node:net';
import { connect as connectTls, getCACertificates } from 'node:tls';
import type { ClusterConfig, ProxyAuth } from '../config/cluster-config.ts';
import { hostOf } from '../config/endpoint-guard.ts';
import { withProxyAuth } from '../config/proxy-auth.ts';
import { connectionEnded, established } from './established.ts';
import { request as sendRequest, STATUS_CODES } from './node-http.ts';
import type { TransportErrorCode } from '../errors/transport-error.ts';

/** A host in the form that sockets accept (IPv6 addresses without brackets), and its port. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** A proxy that opens connections to servers. */
export interface Proxy {
  readonly endpoint: Endpoint;
  /** Host and port of the proxy, for messages. */
  readonly name: string;
  /**
   * Opens a connection to `target` over `socket`, which is connected to the proxy.
   *
   * @throws {ProxyRefusal} if the proxy does not connect to `target`.
   */
  tunnel(socket: Socket, target: Endpoint): Promise<Socket>;
}

/** Thrown if a proxy responds but does not connect to the server. */
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

/** Maximum size of a user name or a password of SOCKS, in bytes (RFC 1929). */
const MAX_SOCKS_BYTES = 255;

/**
 * Returns the proxy of a config, or `undefined` if it has none.
 *
 * @throws {TypeError} if `proxyUrl` is not valid. The message does not contain it, because it may contain a password.
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
    throw new TypeError('the user name or password in proxyUrl is not percent-encoded correctly');
  }
  if (url.protocol.startsWith('socks')) return socksProxy(endpoint, credentials);
  return httpProxy(endpoint, credentials, url.protocol === 'https:' ? { caData: tls?.caData } : undefined);
}

/** Creates a proxy with `CONNECT` (RFC 9110 section 9.3.6), for servers with and without TLS. */
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
        // The certificate of the proxy may come from a public certificate authority or from the cluster's.
        ca: [...getCACertificates('default'), ...(tls.caData === undefined ? [] : [tls.caData])],
        // RFC 6066 does not allow an address as a server name.
        servername: isIP(endpoint.host) ? '' : endpoint.host,
        host: endpoint.host,
      });
      // The socket may have no listener while it is passed from one user to the next.
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
        const status = `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim();
        const code = statusCode === 407 ? 'credentials' : 'refused';
        reject(new ProxyRefusal(code, `did not connect to the server: ${status}`));
      })
      .once('error', reject)
      .end();
  });
}

/** Creates a SOCKS 5 proxy (RFC 1928). The proxy resolves the server's name, as in client-go. */
function socksProxy(endpoint: Endpoint, credentials: ProxyAuth | undefined): Proxy {
  // The library would throw an uncaught error.
  const { username = '', password = '' } = credentials ?? {};
  if ([username, password].some((text) => Buffer.byteLength(text) > MAX_SOCKS_BYTES)) {
    throw new TypeError(
      `the user name and password in proxyUrl must have at most ${MAX_SOCKS_BYTES} bytes each, the limit of SOCKS`,
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
        // The errors of the library contain the options with the password, so they are not passed on, not even as a
        // cause.
        if (!(cause instanceof SocksClientError)) throw cause;
        const code = /authentication/i.test(cause.message) ? 'credentials' : 'refused';
        throw new ProxyRefusal(code, `did not connect to the server: ${cause.message}`);
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
