import type { ClusterPhase, Logger, Manager, ManagerOptions } from '@mcr/core';
import { createManager, InMemoryProvider, silentLogger, systemClock } from '@mcr/core';
import { addDashboard, type DashboardOptions } from '@mcr/dashboard';

/** A manager whose fleet exists only in its status, so that it can have any size and any names. */
export interface SyntheticFleet extends AsyncDisposable {
  readonly manager: Manager;
  /** Address of the page. */
  readonly url: string;
  /** Sets the time of further changes, in milliseconds before now. Default: 0. */
  ago: number;
  /** Records a reconcile of a cluster by the controller `name`, in the fleet status and in the metrics. */
  reconcile(name: string, cluster: string, outcome?: { readonly error?: Error; readonly milliseconds?: number }): void;
}

export interface SyntheticFleetOptions {
  /** Default: a free one. */
  readonly port?: number;
  readonly dashboard?: DashboardOptions;
  /** Default: a manager without a hub. */
  readonly manager?: ManagerOptions;
}

const ZONES = ['eu-north', 'eu-west', 'us-east', 'us-west', 'ap-south', 'ap-east'];

/** Starts a manager that serves its dashboard on loopback. */
export async function startSyntheticFleet({
  port = 0,
  dashboard,
  manager: options = {},
}: SyntheticFleetOptions = {}): Promise<SyntheticFleet> {
  const { promise: address, resolve, reject } = Promise.withResolvers<string>();
  const logger: Logger = {
    ...silentLogger,
    child: () => logger,
    info: (message, fields) => {
      if (message === 'server listening') resolve(String(fields?.['address']));
    },
  };
  let ago = 0;
  const manager = await createManager({
    logger,
    clock: { ...systemClock, wallTime: () => Date.now() - ago },
    ...(options.config === undefined && { provider: new InMemoryProvider() }),
    ...options,
    metrics: { bindAddress: `127.0.0.1:${port}`, ...options.metrics },
  });
  addDashboard(manager, dashboard);
  const end = new AbortController();
  const stopped = manager.start(end.signal).catch(reject);
  const controllers = new Map<string, ReturnType<NonNullable<Manager['metrics']>['controller']>>();
  return {
    manager,
    url: `${await address}/dashboard`,
    get ago() {
      return ago;
    },
    set ago(milliseconds) {
      ago = milliseconds;
    },
    reconcile(name, cluster, { error, milliseconds = 5 } = {}) {
      let controller = controllers.get(name);
      if (!controller) {
        controller = manager.metrics?.controller(name);
        if (!controller) throw new Error('the metrics are off');
        controller.maxConcurrentReconciles(8);
        controllers.set(name, controller);
      }
      const item = { priority: 0 };
      controller.queue.waiting(item);
      controller.queue.handedOut(item);
      controller.reconcileStarted();
      const outcome = error ? ({ result: 'error', failure: 'error' } as const) : ({ result: 'success' } as const);
      controller.reconcileEnded({ cluster, duration: milliseconds, ...outcome });
      controller.queue.done(item);
      manager.fleet.recorder.reconcile(cluster, {
        controller: name,
        result: outcome.result,
        ...(error && { error }),
      });
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await stopped;
    },
  };
}

/** Returns the name of a cluster by its number. */
export function clusterAt(index: number): string {
  return `${ZONES[index % ZONES.length]}-${String(Math.floor(index / ZONES.length) + 1).padStart(4, '0')}`;
}

/**
 * Adds clusters: most are engaged, and a few have each kind of problem.
 *
 * @param isWanted leaves out the clusters for which it returns `false`. Default: all are added.
 */
export function populate(
  { manager: { fleet } }: Pick<SyntheticFleet, 'manager'>,
  size: number,
  isWanted: (name: string) => boolean = () => true,
): void {
  const { recorder } = fleet;
  for (let index = 0; index < size; index += 1) {
    const name = clusterAt(index);
    if (!isWanted(name)) continue;
    const enter = (phase: ClusterPhase, reason: string, error?: Error): void =>
      recorder.phase(name, phase, reason, error);
    enter('Connecting', "waiting for the API server's first response");
    const [zone = ''] = /^\w+-\w+/u.exec(name) ?? [];
    recorder.labels(name, { region: zone, env: index % 4 === 0 ? 'staging' : 'prod', tier: String((index % 3) + 1) });
    if (index % 41 === 7) {
      const error = new Error('connect ECONNREFUSED 10.12.0.7:6443');
      enter('Unreachable', error.message, error);
      continue;
    }
    if (index % 59 === 11) continue;
    enter('Engaged', 'all sources have synced');
    const pods = { controller: 'deployments', source: 'apps/v1 Deployment', objects: () => 40 + ((index * 7) % 160) };
    const maps = { controller: 'configmaps', source: 'v1 ConfigMap', objects: () => 12 + (index % 30) };
    recorder.source(name, { ...maps, state: 'synced' });
    if (index % 67 === 13) {
      const error = new Error('deployments.apps is forbidden: user "fleet" cannot list resource "deployments"');
      recorder.source(name, { ...pods, state: 'failed', error });
    } else if (index % 53 === 17) {
      recorder.source(name, { ...pods, state: 'syncing' });
    } else {
      recorder.source(name, { ...pods, state: 'synced' });
    }
    if (index % 97 === 29) recorder.isolated(name, { state: 'slow', reason: 'a call had no response for 1.4 s' });
    if (index % 131 === 37) recorder.isolated(name, { state: 'parked', reason: '3 calls had no response for 5 s' });
  }
}
