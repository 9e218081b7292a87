import { expect } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { silentLogger, untilAborted } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { Clusters } from '../fleet/clusters/clusters.ts';
import { BroadcastCoordinator } from '../fleet/coordinator/broadcast-coordinator.ts';
import type { Aware } from '../fleet/multicluster/aware.ts';
import type { Provider } from './provider.ts';
import type { Manager } from './manager.ts';
import type { ManagerParts } from './multi-cluster-manager.ts';
import { MultiClusterManager } from './multi-cluster-manager.ts';
import type { Runnable, RunnableGroup } from './runnable.ts';

/** Clock of every manager and provider of a test file. */
export const clock = new VirtualClock();

/** Creates a manager with a local cluster that answers at once, and with the parts that matter to a test. */
export function newManager(parts: Partial<ManagerParts> = {}): MultiClusterManager {
  return new MultiClusterManager({
    localCluster: FakeCluster.ready({ server: 'https://hub' }),
    coordinator: new BroadcastCoordinator(),
    logger: silentLogger,
    clock,
    controllerOptions: {},
    gracefulShutdownTimeout: 30_000,
    ...parts,
  });
}

/** Creates a runnable that logs when it starts and stops. */
export function recorded(name: string, log: string[], group?: RunnableGroup): Runnable {
  return {
    ...(group && { group }),
    async run(signal) {
      log.push(`${name} starts`);
      await untilAborted(signal);
      await new Promise(setImmediate);
      log.push(`${name} stopped`);
    },
  };
}

/** A provider whose clusters are added by the test. */
export class TestProvider implements Provider {
  readonly clusters = new Clusters<FakeCluster>({ clock });
  readonly log: string[];
  readonly running = Promise.withResolvers<{ aware: Aware; signal: AbortSignal }>();
  failure = Promise.withResolvers<never>();

  constructor(log: string[] = []) {
    this.log = log;
  }

  async get(name: string): Promise<FakeCluster> {
    return this.clusters.get(name);
  }

  indexField: Provider['indexField'] = (...args) => this.clusters.indexField(...args);

  async setupWithManager(): Promise<void> {
    this.log.push('provider is set up');
  }

  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    this.log.push('provider starts');
    this.running.resolve({ aware, signal });
    await Promise.race([untilAborted(signal), this.failure.promise]);
    await this.clusters.removeAll();
    this.log.push('provider stopped');
  }
}

/** Starts a manager, runs `work`, and stops the manager. */
export async function running(manager: Manager, work: () => Promise<void>): Promise<void> {
  const end = new AbortController();
  const started = manager.start(end.signal);
  await clock.advance(0);
  try {
    await work();
  } finally {
    end.abort();
  }
  await started;
  expect(getEventListeners(end.signal, 'abort')).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
}
