import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import type {
  Aware,
  Cluster,
  ClusterConfig,
  ClusterName,
  IndexExtractor,
  Kind,
  KubernetesObject,
  Manager,
  Provider,
} from '@mcr/core';
import { createCluster, parseKubeconfig } from '@mcr/core';
import type { ClusterDeclaration } from '@mcr/core/provider';
import { Clusters } from '@mcr/core/provider';
import type { Member, MemberOptions, ProviderSetup } from './contract.ts';

const README = join(import.meta.dirname, '..', 'README.md');

/** Returns what `break` in the program of the README writes for a member. */
function brokenByReadme({ name, kubeconfig }: Member): string {
  const [, program] = /^ *break: (.+),$/m.exec(readFileSync(README, 'utf8')) ?? [];
  const inventory = { put: (_: string, text: string) => text };
  return runInNewContext(`(${program})(name)`, {
    name,
    inventory,
    kubeconfigs: new Map([[name, kubeconfig]]),
  }) as string;
}

/** An inventory in memory. Breaks records like the program of the README. */
export class PolledInventory {
  readonly records = new Map<string, Member>();
  isDown = false;

  /** @param createProvider creates the provider under test. */
  setup(createProvider: (options: MemberOptions) => Provider): ProviderSetup {
    // A copy, so that writing the same member again is a new record.
    const put = async (member: Member) => void this.records.set(member.name, { ...member });
    return {
      createProvider,
      add: put,
      change: put,
      relabel: put,
      remove: async (name) => void this.records.delete(name),
      break: async (name) => {
        const member = this.records.get(name);
        if (member) this.records.set(name, { ...member, kubeconfig: brokenByReadme(member) });
      },
      outage: async () => {
        this.isDown = true;
        return async () => void (this.isDown = false);
      },
    };
  }

  /** @throws {Error} during an outage. */
  read(): [string, Member][] {
    if (this.isDown) throw new Error('the inventory is down');
    return [...this.records];
  }
}

/** A correct provider of a {@link PolledInventory}. Wrong providers extend it. */
export class PollingProvider implements Provider {
  protected readonly inventory: PolledInventory;
  protected readonly options: MemberOptions;
  protected readonly clusters = new Clusters({ clock: () => this.manager.clock });
  protected desired = new Map<ClusterName, ClusterDeclaration>();
  #manager: Manager | undefined;

  constructor(inventory: PolledInventory, options: MemberOptions) {
    this.inventory = inventory;
    this.options = options;
  }

  async setupWithManager(manager: Manager): Promise<void> {
    this.#manager = manager;
  }

  async get(name: ClusterName): Promise<Cluster> {
    return this.clusters.get(name);
  }

  clusterNames(): ClusterName[] {
    return this.clusters.clusterNames();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.clusters.indexField(kind, name, extract);
  }

  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.apply(this.read(aware), aware, signal);
      } catch {
        // A failed read changes nothing.
      }
      await this.rest(signal);
    }
    await this.clusters.removeAll();
    this.desired.clear();
  }

  /** Time between two polls, in milliseconds. */
  protected async rest(signal: AbortSignal): Promise<void> {
    await wait(10, undefined, { signal }).catch(() => undefined);
  }

  /** Returns the declaration of a record, unless the record is refused. */
  protected usable(member: Member): ClusterDeclaration | undefined {
    try {
      this.parse(member.kubeconfig);
      return this.declarationOf(member);
    } catch {
      return undefined;
    }
  }

  /** Returns the error to report for a record that is refused. */
  protected problemOf(_: Member): Error {
    return new Error('broken');
  }

  protected parse(kubeconfig: string): ClusterConfig {
    return parseKubeconfig(kubeconfig, { policy: 'untrusted' });
  }

  /** Returns the desired clusters. */
  protected read(aware: Aware): Map<ClusterName, ClusterDeclaration> {
    const desired = new Map<ClusterName, ClusterDeclaration>();
    for (const [name, member] of this.inventory.read()) {
      const before = this.desired.get(name);
      const declaration = this.usable(member);
      if (declaration) desired.set(name, declaration);
      else if (before) desired.set(name, before);
      if (!declaration)
        aware.report?.(name, { phase: 'Unreachable', reason: 'its record is broken', error: this.problemOf(member) });
    }
    return desired;
  }

  protected async apply(
    desired: Map<ClusterName, ClusterDeclaration>,
    aware: Aware,
    signal: AbortSignal,
  ): Promise<void> {
    this.desired = desired;
    await this.clusters.sync(desired, aware, signal);
  }

  protected declarationOf({ kubeconfig, labels }: Member): ClusterDeclaration {
    return {
      config: () => {
        const config = this.parse(kubeconfig);
        return this.options.configure?.(config) ?? config;
      },
      info: { provider: 'polling', labels },
      make: (config, options) =>
        createCluster(config, { clock: this.manager.clock, ...this.options.clusterOptions, ...options }),
    };
  }

  protected get manager(): Manager {
    if (!this.#manager) throw new Error('the manager calls setupWithManager before run');
    return this.#manager;
  }
}
