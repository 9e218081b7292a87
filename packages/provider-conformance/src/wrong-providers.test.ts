import { afterAll, describe, expect, it } from '@jest/globals';
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
import { conformanceSuite } from './conformance.ts';
import type { Member, MemberOptions } from './contract.ts';
import { PolledInventory, PollingProvider } from './polled-inventory.fixture.ts';

class EngagesTwice extends PollingProvider {
  protected override async apply(desired: Map<ClusterName, Cluster>, aware: Aware, signal: AbortSignal): Promise<void> {
    await super.apply(desired, aware, signal);
    for (const name of this.clusterNames()) await aware.engage(name, this.clusters.get(name), signal);
  }
}

class EngagesTwoInstances extends PollingProvider {
  protected override async apply(desired: Map<ClusterName, Cluster>, aware: Aware, signal: AbortSignal): Promise<void> {
    await super.apply(desired, aware, signal);
    for (const name of this.clusterNames()) {
      const { config } = this.clusters.get(name);
      const other = createCluster(config, { name });
      void other.run(signal);
      await aware.engage(name, other, signal);
    }
  }
}

class NeverLooksAgain extends PollingProvider {
  #isDone = false;

  protected override async apply(desired: Map<ClusterName, Cluster>, aware: Aware, signal: AbortSignal): Promise<void> {
    if (!this.#isDone) await super.apply(desired, aware, signal);
    this.#isDone = true;
  }
}

class NeverRemoves extends PollingProvider {
  protected override async apply(desired: Map<ClusterName, Cluster>, aware: Aware, signal: AbortSignal): Promise<void> {
    for (const [name, cluster] of desired) this.clusters.ensure(name, cluster, aware, signal);
  }
}

class LosesOthersForOne extends PollingProvider {
  protected override read(aware: Aware): Map<ClusterName, Cluster> {
    const broken = this.inventory.read().findIndex(([, member]) => !member);
    const desired = super.read(aware);
    return broken < 0 ? desired : new Map<ClusterName, Cluster>([...desired].slice(0, broken));
  }
}

class HidesBadRecords extends PollingProvider {
  protected override read(aware: Aware): Map<ClusterName, Cluster> {
    return super.read({ engage: (...engagement) => aware.engage(...engagement) });
  }
}

class TellsCredentials extends PollingProvider {
  protected override read(aware: Aware): Map<ClusterName, Cluster> {
    for (const [name, { member, isBroken }] of this.inventory.records) {
      const error = new Error(`cannot be used: ${member.kubeconfig}`);
      if (isBroken) aware.report?.(name, { phase: 'Unreachable', reason: 'it cannot be used', error });
    }
    return super.read(aware);
  }
}

class DropsFleetOnOutage extends PollingProvider {
  protected override read(aware: Aware): Map<ClusterName, Cluster> {
    return this.inventory.isDown ? new Map<ClusterName, Cluster>() : super.read(aware);
  }
}

class TakesEmptinessForAnOutage extends PollingProvider {
  protected override async apply(desired: Map<ClusterName, Cluster>, aware: Aware, signal: AbortSignal): Promise<void> {
    if (desired.size > 0) await super.apply(desired, aware, signal);
  }
}

class TrustsRecords extends PollingProvider {
  protected override parse(kubeconfig: string): ClusterConfig {
    return parseKubeconfig(kubeconfig, { policy: 'trusted' });
  }
}

class PollsWithoutRest extends PollingProvider {
  protected override rest(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}

class RetriesAtOnce extends PollingProvider {
  protected override rest(signal: AbortSignal): Promise<void> {
    return this.inventory.isDown ? new Promise((resolve) => setImmediate(resolve)) : super.rest(signal);
  }
}

class ReplacesWhatIsWritten extends PollingProvider {
  readonly #seen = new Map<string, unknown>();

  protected override async apply(desired: Map<ClusterName, Cluster>, aware: Aware, signal: AbortSignal): Promise<void> {
    for (const [name, record] of this.inventory.records) {
      if (this.#seen.get(name) !== record && this.clusters.has(name)) await this.clusters.remove(name);
      this.#seen.set(name, record);
    }
    await super.apply(desired, aware, signal);
  }
}

class NeverReplaces extends PollingProvider {
  protected override async apply(desired: Map<ClusterName, Cluster>, aware: Aware, signal: AbortSignal): Promise<void> {
    for (const name of this.clusterNames()) if (desired.has(name)) desired.set(name, this.clusters.get(name));
    await super.apply(desired, aware, signal);
  }
}

class ConnectsOneByOne extends PollingProvider {
  protected override async apply(desired: Map<ClusterName, Cluster>, aware: Aware, signal: AbortSignal): Promise<void> {
    for (const [name, cluster] of desired) await this.clusters.addOrReplace(name, cluster, aware, signal);
    await super.apply(desired, aware, signal);
  }
}

class AnswersForTheUnknown extends PollingProvider {
  override async get(name: ClusterName): Promise<Cluster> {
    if (this.clusters.has(name)) return this.clusters.get(name);
    throw new Error('no such cluster');
  }
}

class IndexesThoseThatAreThere extends PollingProvider {
  override async indexField<T extends KubernetesObject>(
    kind: Kind<T>,
    name: string,
    extract: IndexExtractor<T>,
  ): Promise<void> {
    for (const each of this.clusterNames()) await this.clusters.get(each).fieldIndexer.indexField(kind, name, extract);
  }
}

class IgnoresOptions extends PollingProvider {
  constructor(inventory: PolledInventory) {
    super(inventory, {});
  }
}

class KnowsNoLabels extends PollingProvider {
  protected override clusterOf(member: Member): Cluster {
    return super.clusterOf({ ...member, labels: {} });
  }
}

class RemembersAfterItsEnd extends PollingProvider {
  readonly #seen = new Set<string>();

  protected override async apply(desired: Map<ClusterName, Cluster>, aware: Aware, signal: AbortSignal): Promise<void> {
    for (const [name, cluster] of desired) {
      if (!this.#seen.has(name)) this.clusters.ensure(name, cluster, aware, signal);
      this.#seen.add(name);
    }
    for (const name of this.clusterNames()) if (!desired.has(name)) await this.clusters.remove(name);
  }
}

class LeavesClusters extends PollingProvider {
  override async run(aware: Aware, signal: AbortSignal): Promise<void> {
    await super.run(aware, signal);
    const [name] = this.inventory.records.keys();
    const cluster = createCluster({ server: 'https://127.0.0.1:1' });
    left.push(cluster);
    if (name) await aware.engage(name, cluster, new AbortController().signal);
  }
}

class LeavesTimers extends PollingProvider {
  override async run(aware: Aware, signal: AbortSignal): Promise<void> {
    // Several: one that ends meanwhile, of whomever, makes up for one of them.
    for (let count = 0; count < 4; count++) timers.push(setInterval(() => undefined, 60_000));
    await super.run(aware, signal);
  }
}

class LeavesListeners extends PollingProvider {
  override async run(aware: Aware, signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => undefined);
    await super.run(aware, signal);
  }
}

class GivesUp extends PollingProvider {
  override async run(aware: Aware, signal: AbortSignal): Promise<void> {
    this.inventory.read();
    await super.run(aware, signal);
  }
}

class RefusesNextManager extends PollingProvider {
  #isSetUp = false;

  override async setupWithManager(manager: Manager): Promise<void> {
    if (this.#isSetUp) throw new Error('it has a manager already');
    this.#isSetUp = true;
    await super.setupWithManager(manager);
  }
}

const timers: NodeJS.Timeout[] = [];
const left: Cluster[] = [];

type WrongProvider = new (inventory: PolledInventory, options: MemberOptions) => Provider;

describe('a provider that is wrong', () => {
  let wrong: WrongProvider;
  const suite = conformanceSuite({
    name: 'wrong',
    without: { unready: 'not kept', ready: 'not kept', interrupt: 'not kept' },
    // Each case waits so long for what never comes, and what it needs before that has to have come by then.
    patience: 3_000,
    setup: async () => {
      const inventory = new PolledInventory();
      return inventory.setup((options) => new wrong(inventory, options));
    },
  });

  afterAll(async () => {
    for (const timer of timers) clearInterval(timer);
    // An informer that lost its subscribers waits for others until its cache ends.
    await Promise.all(left.map((cluster) => cluster.run(AbortSignal.abort())));
    await suite.stop();
  });

  it.each<[string, string, RegExp, WrongProvider]>([
    [
      'EngagesTwice',
      'PV-2: engages the clusters that are there',
      /was engaged again, by the same instance/,
      EngagesTwice,
    ],
    [
      'EngagesTwoInstances',
      'PV-2: engages the clusters that are there',
      /is engaged twice.*hint: +let Clusters/s,
      EngagesTwoInstances,
    ],
    ['NeverLooksAgain', 'PV-2: engages the clusters that are there', /not engaged: later/, NeverLooksAgain],
    ['NeverRemoves', 'PV-2: disengages a cluster that leaves', /engaged as well: goes is Engaged/, NeverRemoves],
    ['AnswersForTheUnknown', 'PV-2: get() knows', /it rejected with no such cluster/, AnswersForTheUnknown],
    ['IndexesThoseThatAreThere', 'PV-2: indexes every cluster', /the index "early" works/, IndexesThoseThatAreThere],
    ['NeverReplaces', 'PV-2: engages a cluster anew', /as its record says/, NeverReplaces],
    ['NeverReplaces', 'PV-2: rotates credentials', /it has those of before/, NeverReplaces],
    [
      'ReplacesWhatIsWritten',
      'PV-2: leaves a cluster alone',
      /found: .*one disengaged, .*one engaged/,
      ReplacesWhatIsWritten,
    ],
    ['KnowsNoLabels', 'PV-7: says in cluster.info the labels', /found: +\{\}/, KnowsNoLabels],
    ['LosesOthersForOne', 'PV-4: engages the others when a record', /not engaged: c/, LosesOthersForOne],
    ['HidesBadRecords', 'PV-4: keeps a cluster whose record', /tells what is wrong with spoiled/, HidesBadRecords],
    ['TellsCredentials', 'PV-4: keeps a cluster whose record', /the credentials of spoiled/, TellsCredentials],
    ['ConnectsOneByOne', 'PV-5: connects to members at the same time', /not engaged: healthy-1/, ConnectsOneByOne],
    ['DropsFleetOnOutage', 'PV-3: keeps the fleet while', /disengaged/, DropsFleetOnOutage],
    [
      'TakesEmptinessForAnOutage',
      'PV-3: disengages every cluster when the inventory becomes empty',
      /engaged as well: .*one is Engaged/,
      TakesEmptinessForAnOutage,
    ],
    ['TrustsRecords', 'S-1: runs no command that a record names', /it was run/, TrustsRecords],
    ['PollsWithoutRest', 'PV-8: waits between two polls of the inventory', /busy for/, PollsWithoutRest],
    ['RetriesAtOnce', 'PV-8: waits between two polls of an inventory that', /busy for/, RetriesAtOnce],
    ['GivesUp', 'PV-3: starts while the inventory cannot be read', /the manager failed/, GivesUp],
    ['RemembersAfterItsEnd', 'PV-2: engages its clusters anew when run()', /not engaged: /, RemembersAfterItsEnd],
    ['RefusesNextManager', 'F-25: serves one manager at a time', /it has a manager already/, RefusesNextManager],
    ['IgnoresOptions', 'PV-6: hands clusterOptions', /its userAgent is undefined/, IgnoresOptions],
    ['LeavesClusters', 'PV-2: leaves nothing behind', /had not been disengaged/, LeavesClusters],
    ['LeavesTimers', 'PV-2: leaves nothing behind', /left: \d Timeout/, LeavesTimers],
    ['LeavesListeners', 'PV-2: leaves nothing behind', /left 1 abort listeners/, LeavesListeners],
  ])('%s fails "%s …"', async (_, title, message, Wrong) => {
    wrong = Wrong;
    const found = suite.cases.find((candidate) => `${candidate.id}: ${candidate.title}`.startsWith(title));
    const [outcome] = await Promise.allSettled([found?.run(new AbortController().signal)]);
    expect(outcome).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(message) } });
    expect(outcome).toMatchObject({ reason: { message: expect.stringMatching(/expected: .+found: .+hint: /s) } });
  });
});
