import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';
import type { ClusterConfig } from '@mcr/client';
import { parseOptions } from '@mcr/client';
import * as z from 'zod';
import { createServingIdentity } from '../serving-identity.ts';
import { Connection } from './connection.ts';
import type { FaultRule, RequestMatch } from './fault-rule.ts';
import { ruleSchema, type ParsedConnectionFault, type ParsedRequestFault } from './fault.ts';
import { Relay } from './relay.ts';
import type { Injection } from './rulebook.ts';
import { Rulebook } from './rulebook.ts';

/** Options of {@link createFaultProxy}. */
export interface FaultProxyOptions {
  /** The API server behind the proxy. The proxy presents its client certificate, if it has one. */
  readonly target: ClusterConfig;
  /** An integer that determines all random decisions. Default: 1. */
  readonly seed?: number | undefined;
}

const optionsSchema = z.strictObject({
  target: z.custom<ClusterConfig>(
    (value) => /^https:/.test(String((Object(value) as { server?: unknown }).server)),
    'expected the ClusterConfig of a cluster with an https server',
  ),
  seed: z.int().default(1),
} satisfies Record<keyof FaultProxyOptions, z.ZodType>);

/**
 * A proxy on a port of 127.0.0.1 that forwards everything between clients and an API server, and injects the faults of
 * its rules. It terminates TLS with its own certificate, so faults can apply to connections (bytes) or to requests
 * (HTTP/2 and HTTP/1.1).
 *
 * Random decisions depend only on the seed, the rules and the order of requests.
 */
export class FaultProxy implements AsyncDisposable {
  /** ClusterConfig of the target, with the address and the certificate authority of the proxy. */
  readonly config: ClusterConfig;
  readonly #listener: Server;
  readonly #relay: Relay;
  readonly #connections: Set<Connection>;
  readonly #connectionRules: Rulebook<ParsedConnectionFault, undefined>;
  readonly #requestRules: Rulebook<ParsedRequestFault, RequestMatch>;
  readonly #injections = new Set<Injection>();

  private constructor(parts: {
    readonly config: ClusterConfig;
    readonly listener: Server;
    readonly relay: Relay;
    readonly connections: Set<Connection>;
    readonly connectionRules: Rulebook<ParsedConnectionFault, undefined>;
    readonly requestRules: Rulebook<ParsedRequestFault, RequestMatch>;
  }) {
    this.config = parts.config;
    this.#listener = parts.listener;
    this.#relay = parts.relay;
    this.#connections = parts.connections;
    this.#connectionRules = parts.connectionRules;
    this.#requestRules = parts.requestRules;
  }

  /**
   * @param options.target the API server behind the proxy. The proxy presents its client certificate, if it has one.
   * @param options.seed an integer that determines all random decisions. Default: 1.
   */
  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const { target, seed } = parseOptions('createFaultProxy', optionsSchema, options);
    const identity = await createServingIdentity();
    const connections = new Set<Connection>();
    const connectionRules = new Rulebook<ParsedConnectionFault, undefined>(seed);
    // A different seed, so that both rulebooks decide independently.
    const requestRules = new Rulebook<ParsedRequestFault, RequestMatch>(~seed);
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
   * Adds a rule, which applies to open and new connections or requests.
   *
   * @param rule.on `connections`, or `requests` that `match` selects.
   * @param rule.fault the fault to inject.
   * @param rule.when selects among them. Default: all, until the rule is removed.
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

  /** Resets every connection and stops listening. */
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
