import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
import { declarationOf } from '@mcr/core/provider';
import { parseDocument } from 'yaml';
import { conformanceSuite } from './conformance.ts';
import type { Member, MemberOptions } from './contract.ts';
import { PolledInventory, PollingProvider } from './polled-inventory.fixture.ts';

type Declarations = Map<ClusterName, ClusterDeclaration>;

class EngagesTwice extends PollingProvider {
  protected override async apply(desired: Declarations, aware: Aware, signal: AbortSignal): Promise<void> {
    await super.apply(desired, aware, signal);
    for (const name of this.clusterNames()) await aware.engage(name, this.clusters.get(name), signal);
  }
}

class EngagesTwoInstances extends PollingProvider {
  protected override async apply(desired: Declarations, aware: Aware, signal: AbortSignal): Promise<void> {
    await super.apply(desired, aware, signal);
    for (const name of this.clusterNames()) {
      const { config } = this.clusters.get(name);
      const other = createCluster(config, { name });
      void other.run(signal);
      await aware.engage(name, other, signal);
    }
  }
}

class ReadsOnce extends PollingProvider {
  #isDone = false;

  protected override async apply(desired: Declarations, aware: Aware, signal: AbortSignal): Promise<void> {
    if (!this.#isDone) await super.apply(desired, aware, signal);
    this.#isDone = true;
  }
}

class NeverRemoves extends PollingProvider {
  protected override async apply(desired: Declarations, aware: Aware, signal: AbortSignal): Promise<void> {
    for (const [name, declaration] of desired) this.clusters.ensure(name, declaration, aware, signal);
  }
}

class StopsAtInvalidRecord extends PollingProvider {
  protected override read(aware: Aware): Declarations {
    const broken = this.inventory.read().findIndex(([, member]) => !this.usable(member));
    const desired = super.read(aware);
    return broken < 0 ? desired : new Map([...desired].slice(0, broken));
  }
}

class HidesBadRecords extends PollingProvider {
  protected override read(aware: Aware): Declarations {
    return super.read({ engage: (...engagement) => aware.engage(...engagement) });
  }
}

class LeaksCredentials extends PollingProvider {
  protected override problemOf({ kubeconfig }: Member): Error {
    return new Error(`cannot be used: ${kubeconfig}`);
  }
}

class QuotesParser extends PollingProvider {
  protected override problemOf({ kubeconfig }: Member): Error {
    return parseDocument(kubeconfig).errors[0] ?? new Error('broken');
  }
}

/** Quotes the line of the error like a parser that shortens it. */
class QuotesStartOfLine extends PollingProvider {
  protected override problemOf(member: Member): Error {
    const [error] = parseDocument(member.kubeconfig).errors;
    const line = member.kubeconfig.split('\n')[(error?.linePos?.[0].line ?? 0) - 1];
    return new Error(`cannot be used: ${line?.slice(0, 50)}...`);
  }
}

class DropsFleetOnOutage extends PollingProvider {
  protected override read(aware: Aware): Declarations {
    return this.inventory.isDown ? new Map<ClusterName, ClusterDeclaration>() : super.read(aware);
  }
}

class TreatsEmptinessAsOutage extends PollingProvider {
  protected override async apply(desired: Declarations, aware: Aware, signal: AbortSignal): Promise<void> {
    if (desired.size > 0) await super.apply(desired, aware, signal);
  }
}

class TrustsRecords extends PollingProvider {
  protected override parse(kubeconfig: string): ClusterConfig {
    return parseKubeconfig(kubeconfig, { policy: 'trusted' });
  }
}

class PollsWithoutPause extends PollingProvider {
  protected override rest(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}

class RetriesAtOnce extends PollingProvider {
  protected override rest(signal: AbortSignal): Promise<void> {
    return this.inventory.isDown ? new Promise((resolve) => setImmediate(resolve)) : super.rest(signal);
  }
}

class ReplacesUnchangedRecords extends PollingProvider {
  readonly #seen = new Map<string, unknown>();

  protected override async apply(desired: Declarations, aware: Aware, signal: AbortSignal): Promise<void> {
    for (const [name, record] of this.inventory.records) {
      if (this.#seen.get(name) !== record && this.clusters.has(name)) await this.clusters.remove(name);
      this.#seen.set(name, record);
    }
    await super.apply(desired, aware, signal);
  }
}

class NeverReplaces extends PollingProvider {
  protected override async apply(desired: Declarations, aware: Aware, signal: AbortSignal): Promise<void> {
    for (const name of this.clusterNames()) {
      if (desired.has(name)) desired.set(name, declarationOf(this.clusters.get(name)));
    }
    await super.apply(desired, aware, signal);
  }
}

class ConnectsOneByOne extends PollingProvider {
  protected override async apply(desired: Declarations, aware: Aware, signal: AbortSignal): Promise<void> {
    for (const [name, { config, info = {}, make }] of desired) {
      await this.clusters.addOrReplace(name, make(config(), { name, info }), aware, signal);
    }
    await super.apply(desired, aware, signal);
  }
}

class IgnoresOwnership extends PollingProvider {
  override async run(aware: Aware, signal: AbortSignal): Promise<void> {
    const engage: Aware['engage'] = (...engagement) => aware.engage(...engagement);
    await super.run({ engage, report: (...observation) => aware.report?.(...observation) }, signal);
  }
}

class IgnoresFence extends PollingProvider {
  protected override declarationOf(member: Member): ClusterDeclaration {
    const declaration = super.declarationOf(member);
    const make: ClusterDeclaration['make'] = (...options) =>
      Object.assign(declaration.make(...options), { setFence: () => undefined });
    return { ...declaration, make };
  }
}

class ThrowsAnotherError extends PollingProvider {
  override async get(name: ClusterName): Promise<Cluster> {
    if (this.clusters.has(name)) return this.clusters.get(name);
    throw new Error('no such cluster');
  }
}

class IndexesOnlyExistingClusters extends PollingProvider {
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

class IgnoresLabels extends PollingProvider {
  protected override declarationOf(member: Member): ClusterDeclaration {
    return super.declarationOf({ ...member, labels: {} });
  }
}

class KeepsStateAfterRun extends PollingProvider {
  readonly #seen = new Set<string>();

  protected override async apply(desired: Declarations, aware: Aware, signal: AbortSignal): Promise<void> {
    for (const [name, declaration] of desired) {
      if (!this.#seen.has(name)) this.clusters.ensure(name, declaration, aware, signal);
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
    // Leaves several timers: another timer that ends at the same time hides one of them.
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
    if (this.#isSetUp) throw new Error('it already has a manager');
    this.#isSetUp = true;
    await super.setupWithManager(manager);
  }
}

const timers: NodeJS.Timeout[] = [];
const left: Cluster[] = [];

type WrongProvider = new (inventory: PolledInventory, options: MemberOptions) => Provider;

const FIRST_CASE = 'PV-2: engages the clusters that exist';
/** Limits of the patience, in milliseconds. The longest one leaves time for several steps before the deadline of a case. */
const PATIENCE = { least: 3_000, most: 20_000 };

describe('a wrong provider', () => {
  let wrong: WrongProvider = PollingProvider;
  let patience = PATIENCE.most;
  const suite = conformanceSuite({
    name: 'wrong',
    without: { unready: 'not kept', ready: 'not kept', interrupt: 'not kept' },
    // Each case waits for this time in vain. Until then, its earlier steps must have succeeded.
    get patience() {
      return patience;
    },
    setup: async () => {
      const inventory = new PolledInventory();
      return inventory.setup((options) => new wrong(inventory, options));
    },
  });

  const caseOf = (title: string) => suite.cases.find(({ id, title: its }) => `${id}: ${its}`.startsWith(title));

  beforeAll(async () => {
    // The first run also starts the server. The second one takes as long as this machine needs for all steps of a case.
    for (let run = 0; run < 2; run++) {
      const began = performance.now();
      await caseOf(FIRST_CASE)?.run(new AbortController().signal);
      const took = performance.now() - began;
      patience = Math.min(Math.max(PATIENCE.least, 10 * took), PATIENCE.most);
    }
  });
  afterAll(async () => {
    for (const timer of timers) clearInterval(timer);
    // An informer without subscribers waits for new ones until its cache ends.
    await Promise.all(left.map((cluster) => cluster.run(AbortSignal.abort())));
    await suite.stop();
  });

  it.each<[string, string, RegExp, WrongProvider]>([
    ['EngagesTwice', FIRST_CASE, /was engaged again, by the same instance/, EngagesTwice],
    ['EngagesTwoInstances', FIRST_CASE, /is engaged twice.*hint: +engage with Clusters/s, EngagesTwoInstances],
    [
      'IgnoresOwnership',
      'SH-9: makes nothing for a cluster that another process serves',
      /away is Engaged|away engaged/,
      IgnoresOwnership,
    ],
    [
      'IgnoresFence',
      'SH-9: makes nothing for a cluster that another process serves',
      /a write to away is refused.*it was sent/s,
      IgnoresFence,
    ],
    ['ReadsOnce', FIRST_CASE, /not engaged: later/, ReadsOnce],
    [
      'NeverRemoves',
      'PV-2: disengages a cluster that is removed',
      /engaged in addition: goes is Engaged/,
      NeverRemoves,
    ],
    ['ThrowsAnotherError', 'PV-2: get() returns only', /it rejected with no such cluster/, ThrowsAnotherError],
    [
      'IndexesOnlyExistingClusters',
      'PV-2: indexes every cluster',
      /the index "early" works/,
      IndexesOnlyExistingClusters,
    ],
    ['NeverReplaces', 'PV-2: engages a cluster again when its record', /but its record to/, NeverReplaces],
    ['NeverReplaces', 'PV-2: rotates credentials', /it still has the previous credentials/, NeverReplaces],
    [
      'ReplacesUnchangedRecords',
      'PV-2: keeps a cluster whose record is written again',
      /found: .*one disengaged, .*one engaged/,
      ReplacesUnchangedRecords,
    ],
    ['IgnoresLabels', 'PV-7: sets the labels', /found: +\{\}/, IgnoresLabels],
    ['StopsAtInvalidRecord', 'PV-4: engages the others when a record', /not engaged: c/, StopsAtInvalidRecord],
    ['HidesBadRecords', 'PV-4: keeps a cluster whose record', /reports the problem of spoiled/, HidesBadRecords],
    ['LeaksCredentials', 'PV-4: keeps a cluster whose record', /the credentials of spoiled/, LeaksCredentials],
    ['QuotesParser', 'PV-4: keeps a cluster whose record', /the credentials of spoiled/, QuotesParser],
    ['QuotesParser', 'PV-4: engages the others when a record', /the credentials of broken/, QuotesParser],
    ['QuotesStartOfLine', 'PV-4: keeps a cluster whose record', /the credentials of spoiled/, QuotesStartOfLine],
    ['ConnectsOneByOne', 'PV-5: connects to members concurrently', /not engaged: healthy-1/, ConnectsOneByOne],
    ['DropsFleetOnOutage', 'PV-3: keeps the fleet while', /disengaged/, DropsFleetOnOutage],
    [
      'TreatsEmptinessAsOutage',
      'PV-3: disengages every cluster when the inventory becomes empty',
      /engaged in addition: .*one is Engaged/,
      TreatsEmptinessAsOutage,
    ],
    ['TrustsRecords', 'S-1: does not run a command in a record', /it was run/, TrustsRecords],
    ['PollsWithoutPause', 'PV-8: waits between two polls of the inventory', /busy for/, PollsWithoutPause],
    ['RetriesAtOnce', 'PV-8: waits between two polls of an inventory that', /busy for/, RetriesAtOnce],
    ['GivesUp', 'PV-3: starts while the inventory cannot be read', /the manager failed/, GivesUp],
    ['KeepsStateAfterRun', 'PV-2: engages its clusters again when run()', /not engaged: /, KeepsStateAfterRun],
    ['RefusesNextManager', 'F-25: serves one manager at a time', /it already has a manager/, RefusesNextManager],
    ['IgnoresOptions', 'PV-6: passes clusterOptions', /its userAgent is undefined/, IgnoresOptions],
    ['LeavesClusters', 'PV-2: releases all resources', /had not been disengaged/, LeavesClusters],
    ['LeavesTimers', 'PV-2: releases all resources', /left: \d Timeout/, LeavesTimers],
    ['LeavesListeners', 'PV-2: releases all resources', /left 1 abort listeners/, LeavesListeners],
  ])('%s fails "%s …"', async (_, title, message, Wrong) => {
    wrong = Wrong;
    const [outcome] = await Promise.allSettled([caseOf(title)?.run(new AbortController().signal)]);
    expect(outcome).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(message) } });
    expect(outcome).toMatchObject({ reason: { message: expect.stringMatching(/expected: .+found: .+hint: /s) } });
  });
});
