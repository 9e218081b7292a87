import type { Cluster, ClusterConfig, Provider } from '@mcr/core';
import { createClient, Namespace, sleep, systemClock } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import type { Member, MemberOptions, ProviderDefinition, ProviderSetup } from './contract.ts';
import { operationsOf } from './case.ts';
import type { Expectation } from './expectation.ts';
import { failure, until } from './expectation.ts';
import type { Laboratory } from './laboratory.ts';
import { memberOf } from './member.ts';
import type { LogLine } from './system.ts';
import { hurriedClock, System } from './system.ts';

/** Of how many members at most it is asked which control plane they lead to. */
const SAMPLE = 50;

/** What one case plays on: an inventory, control planes for members, and managers that run the provider. */
export class Stage {
  readonly definition: ProviderDefinition;
  readonly signal: AbortSignal;
  readonly hub: ControlPlane;
  /** As its author wrote it. */
  readonly setup: ProviderSetup;
  /** The same, whole. */
  readonly inventory: Required<ProviderSetup>;
  readonly #laboratory: Laboratory;
  /** By server. */
  readonly #planes = new Map<string, ControlPlane>();
  readonly #identities = new WeakMap<object, Promise<string | undefined>>();
  readonly #systems = new Set<System>();
  /** Whose they are, by token. */
  readonly #tokens = new Map<string, string>();
  #markers = 0;

  private constructor(
    { laboratory, definition, signal }: { laboratory: Laboratory; definition: ProviderDefinition; signal: AbortSignal },
    hub: ControlPlane,
    setup: ProviderSetup,
  ) {
    this.#laboratory = laboratory;
    this.definition = definition;
    this.signal = signal;
    this.hub = hub;
    this.setup = setup;
    this.inventory = operationsOf(setup);
  }

  static async open(parts: {
    laboratory: Laboratory;
    definition: ProviderDefinition;
    signal: AbortSignal;
  }): Promise<Stage> {
    const { laboratory, definition } = parts;
    const hub = await laboratory.controlPlane(definition.crds);
    try {
      return new Stage(parts, hub, await definition.setup({ hub }));
    } catch (error) {
      await hub.stop();
      throw error;
    }
  }

  get isVirtual(): boolean {
    return this.definition.members === 'virtual';
  }

  get patience(): number {
    return this.definition.patience ?? 10_000;
  }

  /** What the fleet calls the cluster of a member. */
  clusterName({ name }: Pick<Member, 'name'>): string {
    return this.inventory.clusterName(name);
  }

  /** A member with a control plane of its own, as far as it has one. */
  async member(name: string, labels: Member['labels'] = {}): Promise<Member> {
    if (this.isVirtual) return memberOf(name, this.hub.config, labels);
    const plane = await this.#laboratory.controlPlane();
    this.#planes.set(plane.config.server, plane);
    return this.#memberOf(name, plane.config, labels);
  }

  async members<const Names extends readonly string[]>(
    ...names: Names
  ): Promise<{ readonly [Index in keyof Names]: Member }> {
    const members = await Promise.all(names.map((name) => this.member(name)));
    // One for each name.
    return members as unknown as { readonly [Index in keyof Names]: Member };
  }

  /** The same member with credentials that it did not have before. */
  async withNewCredentials(member: Member): Promise<Member> {
    const { config } = await this.planeOf(member).issueToken();
    return this.#memberOf(member.name, config, member.labels);
  }

  planeOf({ config }: Pick<Member, 'config'>): ControlPlane {
    const plane = this.#planes.get(config.server);
    if (!plane) throw new TypeError(`no control plane of this case is at ${config.server}`);
    return plane;
  }

  async addAll(members: readonly Member[]): Promise<void> {
    await Promise.all(members.map((member) => this.inventory.add(member)));
  }

  /**
   * A manager with a new provider that reads this case's inventory.
   *
   * @param clock default: one that hurries.
   */
  async start(options: MemberOptions = {}, clock = hurriedClock): Promise<System> {
    return this.startWith(this.inventory.createProvider(options), clock);
  }

  /** Creates a manager with this provider, which may have run in another manager before. */
  async startWith(provider: Provider, clock = hurriedClock): Promise<System> {
    if (!provider.run) {
      throw failure(
        { expected: 'a provider with a method run(aware, signal)', hint: 'run is where clusters are engaged' },
        'it has none',
      );
    }
    const system = await System.start(provider, this.hub, clock);
    this.#systems.add(system);
    return system;
  }

  /** Stops a manager, and looks at what its provider did in all that time. */
  async stop(system: System): Promise<void> {
    this.#systems.delete(system);
    await system.stop();
    this.#expectNoCredentials(system);
    expectNoViolations(system);
  }

  /** S-4, in every case. */
  #expectNoCredentials({ lines, manager }: System): void {
    const everything = [...lines.map(lineText), JSON.stringify(manager.fleet.list())].join('\n');
    for (const [token, name] of this.#tokens) {
      if (!everything.includes(token)) continue;
      throw failure(
        {
          expected: 'no credential of a member is in any log line or in the fleet status',
          hint: 'never put the text of a record into a reason, an error or a log line',
        },
        `the credentials of ${name} are`,
      );
    }
  }

  #memberOf(name: string, config: ClusterConfig, labels: Member['labels']): Member {
    if (config.auth?.type === 'token') this.#tokens.set(config.auth.token, name);
    return memberOf(name, config, labels);
  }

  /** @param within milliseconds. Default: the provider's patience. */
  async until(
    problem: () => string | undefined | Promise<string | undefined>,
    expectation: Expectation,
    within = this.patience,
  ): Promise<void> {
    await until(problem, expectation, { within, signal: this.signal });
  }

  /** Lets time pass, in milliseconds: for what must not happen in it. */
  async passes(duration: number): Promise<void> {
    await sleep(systemClock, duration, this.signal);
  }

  /**
   * Resolves when exactly these members are engaged, each by the control plane that its record names.
   *
   * @param options.perhaps who may be engaged as well.
   */
  async untilEngaged(
    system: System,
    members: readonly Member[],
    hint: string,
    { perhaps = [] }: { readonly perhaps?: readonly Member[] } = {},
  ): Promise<void> {
    const names = members.map((member) => this.clusterName(member));
    const possible = new Set(perhaps.map((member) => this.clusterName(member)));
    // What was violated once, no time puts right.
    const problem = () => (isViolated(system) ? undefined : this.#engagementProblem(system, members, possible));
    await this.until(problem, { expected: `the engaged clusters are ${textOf(names)}`, hint });
    expectNoViolations(system);
  }

  /** Resolves when the provider has read the inventory as it is now, for it has noticed a member that joined last. */
  async untilRead(system: System): Promise<void> {
    const marker = await this.member(`marker-${++this.#markers}`);
    const name = this.clusterName(marker);
    const isThere = () => system.ledger.live.some((engagement) => engagement.name === name);
    await this.inventory.add(marker);
    const hint = 'the provider has to notice a new record at any time';
    await this.until(() => (isThere() ? undefined : statusText(system, name)), {
      expected: `${name}, which was added last, is engaged`,
      hint,
    });
    await this.inventory.remove(marker.name);
    await this.until(() => (isThere() ? statusText(system, name) : undefined), {
      expected: `${name}, whose record was removed, is not engaged any more`,
      hint: 'the provider has to notice that a record is gone',
    });
  }

  /** What happened to these members' engagements from an instant on. */
  eventsSince(system: System, instant: number, members: readonly Member[]): string[] {
    const names = members.map((member) => this.clusterName(member));
    return system.ledger.events.slice(instant).filter((event) => names.some((name) => event.startsWith(`${name} `)));
  }

  async close(): Promise<void> {
    const stopped = await Promise.allSettled([...this.#systems].map((system) => this.stop(system)));
    await this.inventory.dispose();
    await Promise.all([this.hub, ...this.#planes.values()].map((plane) => plane.stop()));
    const failed = stopped.find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  async #engagementProblem(
    system: System,
    members: readonly Member[],
    perhaps: ReadonlySet<string>,
  ): Promise<string | undefined> {
    const { live } = system.ledger;
    const wanted = new Map(members.map((member) => [this.clusterName(member), member]));
    const engaged = new Set(live.map(({ name }) => name));
    const missing = [...wanted.keys()].filter((name) => !engaged.has(name));
    if (missing.length > 0) return `not engaged: ${statusTexts(system, missing)}`;
    const superfluous = [...engaged].filter((name) => !wanted.has(name) && !perhaps.has(name));
    if (superfluous.length > 0) return `engaged as well: ${statusTexts(system, superfluous)}`;
    if (String(system.names) !== String([...engaged].sort())) return `clusterNames() is ${textOf(system.names)}`;
    const sample = [...wanted].slice(0, SAMPLE);
    const problems = await Promise.all(sample.map(([name, member]) => this.#memberProblem(system, name, member)));
    return problems.find((problem) => problem !== undefined);
  }

  async #memberProblem(system: System, name: string, member: Member): Promise<string | undefined> {
    const status = system.status(name);
    if (status?.phase !== 'Engaged') return `${statusText(system, name)}, though it is engaged`;
    const cluster = await system.getCluster(name);
    if (this.isVirtual) return undefined;
    const [wanted, actual] = await Promise.all([this.#identityOf(member.config), this.#identityOfCluster(cluster)]);
    if (actual === wanted) return undefined;
    return `${name} leads to ${cluster.config.server}, not to ${member.config.server} as its record says`;
  }

  /** The uid of a control plane's `kube-system` namespace tells it from every other. */
  #identityOf(config: ClusterConfig): Promise<string | undefined> {
    const plane = this.planeOf({ config });
    let identity = this.#identities.get(plane);
    if (!identity) {
      identity = identityOf(plane.config);
      this.#identities.set(plane, identity);
    }
    return identity;
  }

  #identityOfCluster({ apiReader }: Cluster): Promise<string | undefined> {
    return apiReader.get(Namespace, { name: 'kube-system' }).then(({ metadata }) => metadata.uid);
  }
}

async function identityOf(config: ClusterConfig): Promise<string | undefined> {
  await using client = createClient(config);
  const { metadata } = await client.get(Namespace, { name: 'kube-system' });
  return metadata.uid;
}

function isViolated({ ledger }: System): boolean {
  return ledger.violations.length > 0;
}

/** @throws {Error} of all that the provider did which it must never do. */
function expectNoViolations(system: System): void {
  if (!isViolated(system)) return;
  throw failure(
    {
      expected:
        'one engagement of each cluster at most, each ended before run() resolves, and a run() that lasts until its signal aborts and leaves nothing',
      hint: 'let Clusters of @mcr/core engage, let nothing but the signal end run(), and end it with removeAll() of Clusters',
    },
    [...new Set(system.ledger.violations)].join('; '),
  );
}

/** What the fleet says of a cluster. */
export function statusText(system: System, name: string): string {
  const status = system.status(name);
  return status ? `${name} is ${status.phase} (${status.reason})` : `${name} is not in the fleet status`;
}

/** A log line as far as it is text: with the messages of its errors, and of those that caused them. */
function lineText({ message, fields }: LogLine): string {
  return [message, ...Object.values(fields).flatMap(textsOf)].join(' ');
}

function textsOf(value: unknown): string[] {
  if (value instanceof Error) return [value.message, ...textsOf(value.cause)];
  return typeof value === 'string' ? [value] : [];
}

function statusTexts(system: System, names: readonly string[]): string {
  return names
    .slice(0, 10)
    .map((name) => statusText(system, name))
    .join(', ');
}

function textOf(names: readonly string[]): string {
  if (names.length > 20) return `${names.length} of them`;
  return names.length === 0 ? 'none' : [...names].sort().join(', ');
}
