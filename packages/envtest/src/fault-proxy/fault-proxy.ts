import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';
import type { ClusterConfig } from '@mcr/client';
import { parseOptions } from '@mcr/client';
import { z } from 'zod';
import { createServingIdentity } from '../serving-identity.ts';
import { Connection } from './connection.ts';
import type { ConnectionFault, RequestFault, Route } from './fault.ts';
import { ruleSchema } from './fault.ts';
import { Relay } from './relay.ts';
import type { Injection } from './rulebook.ts';
import { Rulebook } from './rulebook.ts';

const optionsSchema = z.strictObject({
  target: z.custom<ClusterConfig>(
    (value) => /^https:/.test(String((Object(value) as { server?: unknown }).server)),
    'expected the ClusterConfig of a server that is reached by https',
  ),
  seed: z.int().default(1),
});

export type FaultProxyOptions = z.input<typeof optionsSchema>;
export type FaultRule = z.input<typeof ruleSchema>;

/**
 * Stands on a port of 127.0.0.1 between clients and an API server, passes everything on, and harms what its rules say.
 * It ends TLS with a certificate of its own: faults are of connections (bytes) or of requests (HTTP/2 and HTTP/1.1).
 *
 * Chance is the seed's: with the same seed, rules and order of requests, the same ones are struck.
 */
export class FaultProxy implements AsyncDisposable {
  /** The target's, with the proxy's address and authority. */
  readonly config: ClusterConfig;
  readonly #listener: Server;
  readonly #relay: Relay;
  readonly #connections: Set<Connection>;
  readonly #connectionRules: Rulebook<ConnectionFault, undefined>;
  readonly #requestRules: Rulebook<RequestFault, Route>;
  readonly #injections = new Set<Injection>();

  private constructor(parts: {
    readonly config: ClusterConfig;
    readonly listener: Server;
    readonly relay: Relay;
    readonly connections: Set<Connection>;
    readonly connectionRules: Rulebook<ConnectionFault, undefined>;
    readonly requestRules: Rulebook<RequestFault, Route>;
  }) {
    this.config = parts.config;
    this.#listener = parts.listener;
    this.#relay = parts.relay;
    this.#connections = parts.connections;
    this.#connectionRules = parts.connectionRules;
    this.#requestRules = parts.requestRules;
  }

  /**
   * @param options.target the server to stand before; a client certificate in it is what the proxy shows to the server.
   * @param options.seed a whole number that settles what chance decides. Default: 1.
   */
  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const { target, seed } = parseOptions('createFaultProxy', optionsSchema, options);
    const identity = await createServingIdentity();
    const connections = new Set<Connection>();
    const connectionRules = new Rulebook<ConnectionFault, undefined>(seed);
    // Another seed, so that the two do not decide alike.
    const requestRules = new Rulebook<RequestFault, Route>(~seed);
    const relay = await Relay.start({
      target,
      identity,
      rules: requestRules,
      onLost: (port) => {
        for (const connection of connections) if (connection.port === port) connection.reset();
      },
    });
    const listener = createServer((socket) => {
      const connection = new Connection(socket);
      connections.add(connection);
      socket.once('close', () => {
        connections.delete(connection);
        connectionRules.closed(connection);
      });
      connectionRules.opened(connection);
      connection.start(relay.port);
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const config: ClusterConfig = {
      ...target,
      server: `https://127.0.0.1:${port}${new URL(target.server).pathname.replace(/\/$/, '')}`,
      tls: { caData: identity.caCertificate },
    };
    return new FaultProxy({ config, listener, relay, connections, connectionRules, requestRules });
  }

  /**
   * Puts a rule in force, for what is open and for what comes.
   *
   * @param rule.on `connections`, or `requests`, then `of` which.
   * @param rule.fault what befalls them.
   * @param rule.when which of them. Default: all, until the rule is removed.
   */
  inject(rule: FaultRule): Injection {
    const parsed = parseOptions('FaultProxy.inject', ruleSchema, rule);
    const injection =
      parsed.on === 'connections'
        ? this.#connectionRules.inject(parsed.fault, undefined, parsed.when)
        : this.#requestRules.inject(parsed.fault, parsed.match, parsed.when);
    this.#injections.add(injection);
    return injection;
  }

  /** Removes every rule. */
  heal(): void {
    for (const injection of this.#injections) injection.remove();
    this.#injections.clear();
  }

  /** Resets every connection and takes no more. */
  async stop(): Promise<void> {
    this.heal();
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    for (const connection of this.#connections) connection.destroy();
    await this.#relay.stop();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/**
 * Starts a fault proxy on a free port of the loopback interface.
 *
 * @param options.target the API server behind the proxy. The proxy presents its client certificate, if it has one.
 * @param options.seed an integer that determines all random decisions. Default: 1.
 */
export function createFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  return FaultProxy.start(options);
}
