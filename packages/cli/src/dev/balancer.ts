import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOOPBACK } from './free-port.ts';
import type { ReplicaAddresses } from './replica-addresses.ts';

/** Time in which a replica must accept a connection, in milliseconds. API servers wait 10 s for a webhook by default. */
const DEADLINE = 8_000;
const RETRY_INTERVAL = 50;
/** Maximum number of connections at a time. Further ones are closed. */
const MAX_CONNECTIONS = 1_000;

/** Passes connections to the first replica that accepts them, beginning with the next one in turn. */
export class Balancer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #closing = new AbortController();
  readonly #targets: readonly string[];
  #turn = 0;
  #port = 0;

  private constructor(targets: readonly string[]) {
    this.#targets = targets;
    this.#server = createServer((client) => void this.#pass(client));
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  /** Starts a balancer for the webhooks of replicas, on a free port of loopback. */
  static async start(replicas: readonly Pick<ReplicaAddresses, 'webhooks'>[]): Promise<Balancer> {
    const balancer = new Balancer(replicas.map(({ webhooks }) => webhooks));
    balancer.#server.listen(0, LOOPBACK);
    await once(balancer.#server, 'listening');
    balancer.#port = (balancer.#server.address() as AddressInfo).port;
    return balancer;
  }

  /** `host:port`. */
  get address(): string {
    return `${LOOPBACK}:${this.#port}`;
  }

  /** For API servers. */
  get url(): string {
    return `https://${this.address}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #pass(client: Socket): Promise<void> {
    this.#hold(client);
    const deadline = AbortSignal.any([AbortSignal.timeout(DEADLINE), this.#closing.signal]);
    while (!client.destroyed && !deadline.aborted) {
      const server = await this.#accepted();
      if (server) {
        this.#hold(server);
        client.once('close', () => server.destroy());
        server.once('close', () => client.destroy());
        if (client.closed) server.destroy();
        client.pipe(server).pipe(client);
        return;
      }
      // All replicas restart.
      await sleep(RETRY_INTERVAL, undefined, { signal: deadline }).catch(() => undefined);
    }
    client.destroy();
  }

  /** Returns a connection to a replica, if one accepts it. */
  async #accepted(): Promise<Socket | undefined> {
    const first = this.#turn++;
    for (const [index] of this.#targets.entries()) {
      const target = this.#targets[(first + index) % this.#targets.length] ?? '';
      const { hostname, port } = new URL(`tcp://${target}`);
      const socket = connect(Number(port), hostname);
      try {
        await once(socket, 'connect', { signal: this.#closing.signal });
        return socket;
      } catch {
        socket.destroy();
      }
    }
    return undefined;
  }

  #hold(socket: Socket): void {
    this.#sockets.add(socket);
    // Each end of a connection closes the other one.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
    if (this.#closing.signal.aborted) socket.destroy();
  }
}
