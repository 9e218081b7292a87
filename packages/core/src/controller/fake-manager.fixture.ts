import type { Logger, LogFields } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { Cluster } from '../fleet/cluster/cluster.ts';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { createFleet } from '../fleet/status/create-fleet.ts';
import type { ReconcileOutcome, SourceObservation } from '../fleet/status/fleet.ts';
import { Claims } from '../manager/claims.ts';
import type { Manager } from '../manager/manager.ts';
import type { Runnable } from '../manager/runnable.ts';
import type { ClusterName } from '../fleet/multicluster/cluster-name.ts';
import type { Ownership } from '../fleet/multicluster/ownership.ts';
import type { SlotOwnership } from '../fleet/multicluster/slot-ownership.ts';
import { ClusterNotFoundError } from '../fleet/multicluster/cluster-not-found-error.ts';
import { Permissions } from '../permissions/permissions.ts';
import type { Provider } from '../manager/provider.ts';
import type { ControllerDefaults } from '../options/controller-options.ts';
import type { FakeMetrics } from './fake-metrics.fixture.ts';

export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: LogFields;
}

export interface FakeManagerOptions {
  /** Default: true. */
  readonly provider?: boolean;
  readonly controllerOptions?: ControllerDefaults;
  /** Default: nothing is measured. */
  readonly metrics?: FakeMetrics;
  /** Default: this process serves all clusters. */
  readonly ownership?: Ownership;
  readonly slots?: SlotOwnership;
}

/** A manager for tests of controllers, in virtual time. It records observations and outcomes. */
export class FakeManager {
  readonly clock = new VirtualClock();
  readonly added: Runnable[] = [];
  readonly localManager = { cluster: new FakeCluster() };
  readonly hasLocalCluster = true;
  readonly permissions = new Permissions();
  readonly lines: LogLine[] = [];
  readonly outcomes: ({ readonly cluster: ClusterName } & ReconcileOutcome)[] = [];
  readonly observations: ({ readonly cluster: ClusterName } & SourceObservation)[] = [];
  readonly clusters = new Map<ClusterName, Cluster>();
  readonly provider: Provider | undefined;
  leads = true;
  readonly controllerOptions: ControllerDefaults;
  readonly metrics: FakeMetrics | undefined;
  readonly ownership: Ownership | undefined;
  readonly slots: SlotOwnership | undefined;
  readonly logger = this.#loggerWith({});
  /** Status of the clusters, which the test records. */
  readonly status = createFleet({ clock: this.clock });
  readonly fleet = {
    list: () => this.status.list(),
    changes: (signal: AbortSignal) => this.status.changes(signal),
    recorder: {
      phase: () => undefined,
      source: (cluster: ClusterName, observation: SourceObservation) =>
        void this.observations.push({ cluster, ...observation }),
      reconcile: (cluster: ClusterName, outcome: ReconcileOutcome) => void this.outcomes.push({ cluster, ...outcome }),
    },
  };
  readonly #names = new Set<string>();
  readonly #claims = new Claims({ user: 'another manager', remedy: 'stop that manager' });

  constructor({ provider = true, controllerOptions = {}, metrics, ownership, slots }: FakeManagerOptions = {}) {
    this.provider = provider ? ({} as Provider) : undefined;
    this.controllerOptions = controllerOptions;
    this.metrics = metrics;
    this.ownership = ownership;
    this.slots = slots;
  }

  /** This manager as the type that controllers accept. They use no other members. */
  get manager(): Manager {
    return this as unknown as Manager;
  }

  async add(runnable: Runnable): Promise<void> {
    this.added.push(runnable);
  }

  isLeader(): boolean {
    return this.leads;
  }

  claimControllerName(name: string): void {
    if (this.#names.has(name)) throw new TypeError(`controller ${name} exists already`);
    this.#names.add(name);
  }

  claim(part: object, what: string, { signal }: { readonly signal?: AbortSignal } = {}): boolean {
    const taken = this.#claims.take(part, what);
    signal?.addEventListener('abort', () => this.#claims.release(part), { once: true });
    return taken;
  }

  async getCluster(name: ClusterName): Promise<Cluster> {
    const cluster = this.clusters.get(name);
    if (!cluster) throw new ClusterNotFoundError(name);
    return cluster;
  }

  /** Runs all pending work that does not wait for time. */
  async settle(): Promise<void> {
    await this.clock.advance(0);
  }

  #loggerWith(fields: LogFields): Logger {
    const at = (level: LogLine['level']) => (message: string, more?: LogFields) =>
      void this.lines.push({ level, message, fields: { ...fields, ...more } });
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (more) => this.#loggerWith({ ...fields, ...more }),
    };
  }
}
