import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '@mcr/core';
import { createClient, Lease, Secret } from '@mcr/core';
import type { ControlPlaneFleet, FaultProxy } from '@mcr/envtest';
import { createFaultProxy } from '@mcr/envtest';
import { kubeconfigOf } from '../rbac/service-account.ts';
import { until } from '../until.ts';
import { Replica } from './replica.ts';

/** Namespace of the inventory and of the Leases. Replicas watch the same namespace of the members. */
const NAMESPACE = 'default';
/** Name of the Lease of the plan, for the group of `replica-process.ts`. */
const PLAN = 'copier-plan';

/** A plan that has not changed for this time, in milliseconds, is likely to stay. */
const QUIET_TIME = 8_000;

/** Replica processes that divide a fleet, each with a proxy between it and the hub. */
export class ReplicaGroup implements AsyncDisposable {
  readonly #fleet: ControlPlaneFleet;
  readonly #hub: ApiClient;
  readonly #directory: string;
  readonly #stack = new AsyncDisposableStack();
  readonly #running = new Set<Replica>();
  readonly #proxies = new Map<Replica, FaultProxy>();

  /** @param directory for kubeconfig files. */
  constructor(fleet: ControlPlaneFleet, { directory }: { readonly directory: string }) {
    this.#fleet = fleet;
    this.#directory = directory;
    this.#hub = this.#stack.use(createClient(fleet.hub.config));
  }

  /** Creates the kubeconfig Secret of each member. */
  async declareMembers(): Promise<void> {
    const labels = { 'sigs.k8s.io/multicluster-runtime-kubeconfig': 'true' };
    for (const { name, kubeconfig } of this.#fleet.members) {
      await this.#hub.create(Secret, { metadata: { namespace: NAMESPACE, name, labels }, stringData: { kubeconfig } });
    }
  }

  /** The replicas that are neither killed nor stopped. */
  get running(): readonly Replica[] {
    return [...this.#running];
  }

  /** @param name must be new. */
  async start(name: string): Promise<Replica> {
    const { config } = await this.#fleet.hub.issueToken();
    const proxy = this.#stack.use(await createFaultProxy({ target: config }));
    const kubeconfig = join(this.#directory, `${name}.kubeconfig`);
    await writeFile(kubeconfig, kubeconfigOf(proxy.config), { mode: 0o600 });
    const replica = this.#stack.adopt(new Replica(name, { kubeconfig, namespace: NAMESPACE }), (one) => one.kill());
    this.#running.add(replica);
    this.#proxies.set(replica, proxy);
    return replica;
  }

  async kill(replica: Replica): Promise<void> {
    this.#running.delete(replica);
    await replica.kill();
  }

  /** Resolves with its exit code. */
  async stop(replica: Replica): Promise<number | null> {
    this.#running.delete(replica);
    return replica.stop();
  }

  /** Holds all bytes between a replica and the hub. */
  cutOff(replica: Replica): void {
    this.#proxies.get(replica)?.inject({ on: 'connections', fault: { type: 'half-open' } });
  }

  /** Lets the replica reach the hub again, with new connections. */
  heal(replica: Replica): void {
    this.#proxies.get(replica)?.heal();
  }

  /** Resolves once each member has one owner among `replicas`, and each of these owns a member. Default: all. */
  async divided(replicas: readonly Replica[] = this.running): Promise<void> {
    const { length } = this.#fleet.members;
    await until(() => {
      const owned = replicas.map((replica) => replica.owned);
      const all = owned.flat();
      return all.length === length && new Set(all).size === length && owned.every((names) => names.length > 0);
    });
  }

  /** Resolves once the fleet is divided, and the plan has not changed for some time. */
  async settled(): Promise<void> {
    await this.divided();
    let last = '';
    let since = performance.now();
    await until(async () => {
      const state = JSON.stringify(await this.hubState());
      if (state !== last) since = performance.now();
      last = state;
      await delay(200);
      return performance.now() - since >= QUIET_TIME;
    });
  }

  /** Returns what an eviction or a new plan changes in the hub, and a renewal does not. */
  async hubState(): Promise<{ readonly holders: readonly string[]; readonly planVersion: string | undefined }> {
    const { items } = await this.#hub.list(Lease, { namespace: NAMESPACE });
    return {
      holders: items.flatMap(({ spec }) => spec?.holderIdentity || []).sort(),
      planVersion: items.find(({ metadata }) => metadata.name === PLAN)?.metadata.resourceVersion,
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}
