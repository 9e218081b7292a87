import type { Socket } from 'node:net';
import { isIPv6 } from 'node:net';

/** End of a connection, as its sockets state it. It is the same for the TCP socket and the TLS socket. */
type RemoteEnd = Pick<Socket, 'remoteAddress' | 'remotePort'>;

interface Connection {
  readonly source: string;
  close: () => void;
  /** Whether one of its requests was answered with 200. */
  isServed: boolean;
  /** Requests without a complete response. */
  open: number;
}

/** Part of the connections that one source may have before it loses connections first. */
const FAIR_SHARE = 0.05;

/**
 * Limits the connections of a server. Beyond the limit, each new connection replaces another one:
 *
 * - of the source that has the most, if it has more than a twentieth of the limit. A source is an address, and with IPv6 a /64
 *   network. API servers send all requests of HTTP/2 over one connection, and behind a load balancer they have one source.
 * - first one that was never answered with 200, the oldest first; then one without requests, that which is idle the longest.
 *
 * So API servers whose requests were answered keep their connections, and further ones can connect.
 */
export class Connections {
  readonly #limit: number;
  /** The connections by {@link keyOf}. Those without requests are in the order in which they became idle. */
  readonly #connections = new Map<string, Connection>();
  readonly #counts = new Map<string, number>();

  /** @param limit largest number of connections. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a new connection. */
  add(socket: Socket): void {
    const key = keyOf(socket);
    const source = sourceOf(socket.remoteAddress);
    socket.once('close', () => this.#remove(key));
    if (this.#connections.size >= this.#limit) this.#replace(source);
    this.#connections.set(key, { source, close: () => socket.destroy(), isServed: false, open: 0 });
    this.#counts.set(source, (this.#counts.get(source) ?? 0) + 1);
    // All others have requests of callers that were answered before.
    if (this.#connections.size > this.#limit) socket.destroy();
  }

  /** Closes a connection in another way from now on: a session of HTTP/2 tells its client first. */
  closesBy(end: RemoteEnd, close: () => void): void {
    const connection = this.#connections.get(keyOf(end));
    if (connection) connection.close = close;
  }

  /** Notes a new request. @returns a function that notes its end, and whether the response was 200. */
  requested(end: RemoteEnd): (isServed: boolean) => void {
    const key = keyOf(end);
    const connection = this.#connections.get(key);
    if (connection) connection.open += 1;
    return (isServed) => {
      if (!connection || this.#connections.get(key) !== connection) return;
      connection.open -= 1;
      connection.isServed ||= isServed;
      this.#connections.delete(key);
      this.#connections.set(key, connection);
    };
  }

  #replace(newcomer: string): void {
    const victim = this.#victim(this.#greedy(newcomer));
    if (!victim) return;
    const [key, { close }] = victim;
    this.#remove(key);
    close();
  }

  /** Returns the source with the most connections, if it has more than its share. */
  #greedy(newcomer: string): string | undefined {
    let found: string | undefined;
    let most = Math.max(1, this.#limit * FAIR_SHARE);
    for (const [source, count] of this.#counts) {
      const next = source === newcomer ? count + 1 : count;
      if (next > most) [found, most] = [source, next];
    }
    return found;
  }

  #victim(source: string | undefined): [string, Connection] | undefined {
    let idle: [string, Connection] | undefined;
    for (const entry of this.#connections) {
      const [, { source: own, isServed, open }] = entry;
      if (source !== undefined && own !== source) continue;
      if (!isServed) return entry;
      if (open === 0) idle ??= entry;
    }
    return idle;
  }

  #remove(key: string): void {
    const connection = this.#connections.get(key);
    if (!connection) return;
    const { source } = connection;
    this.#connections.delete(key);
    const left = (this.#counts.get(source) ?? 1) - 1;
    if (left > 0) this.#counts.set(source, left);
    else this.#counts.delete(source);
  }
}

function keyOf({ remoteAddress, remotePort }: RemoteEnd): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Returns the address, or the /64 network of an IPv6 address, which a single host may have as a whole. */
function sourceOf(address = ''): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail = ''] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = address.includes('::') ? 8 - groups.length - (tail === '' ? 0 : tail.split(':').length) : 0;
  return [...groups, ...Array<string>(missing).fill('0'), ...tail.split(':')].slice(0, 4).join(':');
}
