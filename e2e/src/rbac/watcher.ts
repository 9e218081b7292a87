import type { ClusterConfig, ClusterName, ClusterStatus, Manager, Provider } from '@mcr/core';
import { ConfigMap, controllerManagedBy, createManager, isLeaderElectionLost } from '@mcr/core';
import { PermissionRecorder } from '@mcr/core/testing';
import { AcceleratedClock } from '../accelerated-clock.ts';
import { RecordingLogger } from '../faults/recording-logger.ts';

const clock = new AcceleratedClock(10);

export interface WatcherOptions {
  readonly hub: ClusterConfig;
  readonly provider: Provider;
  /** Namespace of its Lease. */
  readonly namespace: string;
}

/**
 * A manager with leader election, a provider and a controller for ConfigMaps. Records requests, logs and reconciled
 * clusters.
 */
export class Watcher {
  readonly manager: Manager;
  readonly requests: PermissionRecorder;
  readonly log: RecordingLogger;
  /** Clusters in which it has reconciled a ConfigMap. */
  readonly reconciled = new Set<ClusterName>();
  readonly #end = new AbortController();
  #ended: Promise<void> = Promise.resolve();

  private constructor(manager: Manager, requests: PermissionRecorder, log: RecordingLogger) {
    this.manager = manager;
    this.requests = requests;
    this.log = log;
  }

  static async start({ hub, provider, namespace }: WatcherOptions): Promise<Watcher> {
    const [requests, log] = [new PermissionRecorder(), new RecordingLogger()];
    const manager = await createManager({
      config: hub,
      provider,
      clock,
      logger: log,
      tracer: requests,
      metrics: { bindAddress: '0' },
      // Longer than an outage on an accelerated clock.
      leaderElection: { id: 'config-copier', namespace, leaseDuration: 400_000, renewDeadline: 300_000 },
    });
    const watcher = new Watcher(manager, requests, log);
    await controllerManagedBy(manager)
      .named('config-copier')
      .for(ConfigMap)
      .complete(async (request, { cluster }) => {
        const { client } = await cluster();
        if (await client.find(ConfigMap, request)) watcher.reconciled.add(request.clusterName);
      });
    watcher.#ended = manager.start(watcher.#end.signal).catch((error: unknown) => {
      // Without permissions on leases, the manager always loses its lease.
      if (!isLeaderElectionLost(error)) throw error;
    });
    return watcher;
  }

  status(name: ClusterName): ClusterStatus | undefined {
    return this.manager.fleet.get(name);
  }

  /** Returns the phases and reasons that the fleet status has shown for a cluster. */
  statuses(name: ClusterName): string {
    const { history = [] } = this.status(name) ?? {};
    return history.map(({ phase, reason }) => `${phase}: ${reason}`).join('\n');
  }

  /** Resolves once its manager has stopped. */
  async stop(): Promise<void> {
    this.#end.abort();
    await this.#ended;
  }
}
