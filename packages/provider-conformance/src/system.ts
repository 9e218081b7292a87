import type {
  Clock,
  Cluster,
  ClusterName,
  ClusterStatus,
  LogFields,
  Logger,
  Manager,
  Ownership,
  Provider,
} from '@mcr/core';
import { ConfigMap, controllerManagedBy, createManager } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import { Ledger } from './ledger.ts';
import { ObservedProvider } from './observed-provider.ts';

/** @param pace speed relative to the system clock. */
export function clockOf(pace: number): Clock {
  return {
    now: () => performance.now() * pace,
    wallTime: () => Date.now(),
    schedule(delay, callback) {
      const timeout = setTimeout(callback, delay / pace);
      return { cancel: () => clearTimeout(timeout) };
    },
  };
}

/** A clock on which backoffs and periods take a fifth of their time. */
export const hurriedClock = clockOf(5);

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

export interface SystemOptions {
  readonly clock: Clock;
  readonly ownership?: Ownership;
}

/** A manager that runs the provider under test, with a controller that watches ConfigMaps in all clusters. */
export class System {
  readonly manager: Manager;
  readonly ledger: Ledger;
  readonly lines: readonly LogLine[];
  /** Provider as the stage created it. */
  readonly provider: Provider;
  readonly #hub: ControlPlane;
  readonly #provider: ObservedProvider;
  readonly #end = new AbortController();
  #ended = Promise.resolve();

  private constructor(parts: {
    readonly manager: Manager;
    readonly ledger: Ledger;
    readonly provider: Provider;
    readonly observed: ObservedProvider;
    readonly hub: ControlPlane;
    readonly lines: readonly LogLine[];
  }) {
    this.manager = parts.manager;
    this.ledger = parts.ledger;
    this.lines = parts.lines;
    this.provider = parts.provider;
    this.#hub = parts.hub;
    this.#provider = parts.observed;
  }

  /**
   * @param options.clock clock of the manager.
   * @param options.ownership clusters that the process serves. Default: all.
   */
  static async start(provider: Provider, hub: ControlPlane, { clock, ...sharding }: SystemOptions): Promise<System> {
    const ledger = new Ledger(sharding);
    const observed = new ObservedProvider(provider, ledger);
    const lines: LogLine[] = [];
    const manager = await createManager({
      config: hub.config,
      provider: observed,
      clock,
      logger: collectingLogger(lines, {}),
      metrics: { bindAddress: '0' },
    });
    await controllerManagedBy(manager)
      .for(ConfigMap)
      .complete(async () => undefined);
    const system = new System({ manager, ledger, provider, observed, hub, lines });
    system.#ended = manager.start(system.#end.signal);
    system.#ended.catch((error: unknown) => ledger.violations.push(`the manager failed: ${String(error)}`));
    return system;
  }

  /** Names of the clusters that the provider reports as engaged, sorted. */
  get names(): readonly ClusterName[] {
    return this.#provider.clusterNames().sort();
  }

  status(name: ClusterName): ClusterStatus | undefined {
    return this.manager.fleet.get(name);
  }

  getCluster(name: ClusterName): Promise<Cluster> {
    return this.manager.getCluster(name);
  }

  /** Ends the provider's `run` and calls it again in the same manager. */
  async runAgain(): Promise<void> {
    await this.#provider.runAgain();
  }

  /** Creates another manager with the provider of this one. Returns the error if that fails. */
  async shareProvider(): Promise<Error | undefined> {
    try {
      const { config } = this.#hub;
      await createManager({ config, provider: this.#provider, metrics: { bindAddress: '0' } });
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  /** Resolves once everything has stopped. Never rejects: a failure of the manager is a violation. */
  async stop(): Promise<void> {
    this.#end.abort();
    await this.#ended.catch(() => undefined);
  }
}

function collectingLogger(lines: LogLine[], context: LogFields): Logger {
  const at = (level: LogLine['level']) => (message: string, fields?: LogFields) =>
    void lines.push({ level, message, fields: { ...context, ...fields } });
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => collectingLogger(lines, { ...context, ...fields }),
  };
}
