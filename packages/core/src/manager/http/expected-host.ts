import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isLoopbackHost } from './bind-address.ts';

/**
 * Whether a request that arrives on loopback names this server. A page of another site can make its own name resolve to
 * 127.0.0.1, and the browser then lets the page read the responses. Its requests still have the name of the site in
 * `Host`, so names other than `localhost` must be in `allowed`. Addresses cannot be forged in this way.
 *
 * @param allowed host names without ports.
 */
export function hasExpectedHost({ socket, headers }: IncomingMessage, allowed: readonly string[]): boolean {
  if (socket.localAddress === undefined || !isLoopbackHost(socket.localAddress)) return true;
  const name = hostName(headers.host ?? 'localhost');
  return isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost') || allowed.includes(name);
}

/** Returns the name or address in a `Host` header, in lower case and without port, brackets and trailing dot. */
function hostName(header: string): string {
  const { ipv6, host = '' } = /^(?:\[(?<ipv6>[^\]]*)\]|(?<host>[^:]*))(?::\d*)?$/u.exec(header)?.groups ?? {};
  return (ipv6 ?? host).toLowerCase().replace(/\.$/u, '');
}
