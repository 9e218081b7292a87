import type { Cluster, ClusterConfig, Provider } from '@mcr/core';
import { createClient, Namespace, sleep, systemClock } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import type { Member, MemberOptions, ProviderDefinition, ProviderSetup } from './contract.ts';
import { operationsOf } from './case.ts';
import type { Expectation } from './expectation.ts';
import { failure, until } from './expectation.ts';
import type { Laboratory } from './laboratory.ts';
import { memberOf } from './member.ts';
import type { LogLine, SystemOptions } from './system.ts';
import { hurriedClock, System } from './system.ts';

/** Maximum number of members whose control plane is verified. */
const SAMPLE = 50;

/** Length of the start of a token that counts as a credential: parsers shorten the lines that they quote. */
const REVEALING = 16;

/** Environment of one case: an inventory, control planes for members, and managers that run the provider. */
export class Stage {
  readonly definition: ProviderDefinition;
  readonly signal: AbortSignal;
  readonly hub: ControlPlane;
  /** Setup of the provider, as returned by its definition. */
  readonly setup: ProviderSetup;
  /** The same setup, with rejecting functions for absent operations. */
  readonly inventory: Required<ProviderSetup>;
  readonly #laboratory: Laboratory;
  /** Control planes of members, by server. */
  readonly #planes = new Map<string, ControlPlane>();
  readonly #identities = new WeakMap<object, Promise<string | undefined>>();
  readonly #systems = new Set<System>();
  /** Names of members, by token. */
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
    return this.definition.patience ?? 20_000;
  }

  /** Returns the name of a member's cluster in the fleet. */
  clusterName({ name }: Pick<Member, 'name'>): string {
    return this.inventory.clusterName(name);
  }

  /** Creates a member, with its own control plane unless clusters are virtual. */
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
    // Contains one member for each name.
    return members as unknown as { readonly [Index in keyof Names]: Member };
  }

  /** Returns the same member with new credentials. */
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
   * Starts a manager with a new provider that reads the inventory of this case.
   *
   * @param environment.clock default: a fast one.
   */
  async start(options: MemberOptions = {}, environment: Partial<SystemOptions> = {}): Promise<System> {
    return this.startWith(this.inventory.createProvider(options), environment);
  }

  /** Starts a manager with a provider, which may have run in another manager before. */
  async startWith(provider: Provider, environment: Partial<SystemOptions> = {}): Promise<System> {
    if (!provider.run) {
      throw failure(
        { expected: 'a provider with a method run(aware, signal)', hint: 'engage clusters in run()' },
        'it has no such method',
      );
    }
    const system = await System.start(provider, this.hub, { clock: hurriedClock, ...environment });
    this.#systems.add(system);
    return system;
  }

  /** Stops a manager and checks the provider for violations. */
  async stop(system: System): Promise<void> {
    this.#systems.delete(system);
    await system.stop();
    this.#expectNoCredentials(system);
    expectNoViolations(system);
  }

  /** Checks S-4, in every case. */
  #expectNoCredentials({ lines, manager }: System): void {
    const everything = [...lines.map(lineText), JSON.stringify(manager.fleet.list())].join('\n');
    for (const [token, name] of this.#tokens) {
      if (!everything.includes(token.slice(0, REVEALING))) continue;
      throw failure(
        {
          expected: 'no log line and no entry of the fleet status contains a credential of a member, or its start',
          hint: 'do not put the text of a record into a reason, an error or a log line',
        },
        `the credentials of ${name}`,
      );
    }
  }

  #memberOf(name: string, config: ClusterConfig, labels: Member['labels']): Member {
    if (config.auth?.type === 'token') this.#tokens.set(config.auth.token, name);
    return memberOf(name, config, labels);
  }

  /** @param within in milliseconds. Default: the provider's patience. */
  async until(
    problem: () => string | undefined | Promise<string | undefined>,
    expectation: Expectation,
    within = this.patience,
  ): Promise<void> {
    await until(problem, expectation, { within, signal: this.signal });
  }

  /** Waits, in milliseconds, so that a wrong provider has time for a violation. */
  async passes(duration: number): Promise<void> {
    await sleep(systemClock, duration, this.signal);
  }

  /**
   * Resolves once exactly these members are engaged, each with the control plane in its record.
   *
   * @param options.perhaps members that may be engaged in addition.
   */
  async untilEngaged(
    system: System,
    members: readonly Member[],
    hint: string,
    { perhaps = [] }: { readonly perhaps?: readonly Member[] } = {},
  ): Promise<void> {
    const names = members.map((member) => this.clusterName(member));
    const possible = new Set(perhaps.map((member) => this.clusterName(member)));
    // A violation is final, so waiting for longer does not help.
    const problem = () => (isViolated(system) ? undefined : this.#engagementProblem(system, members, possible));
    await this.until(problem, { expected: `the engaged clusters are ${textOf(names)}`, hint });
    expectNoViolations(system);
  }

  /** Resolves once the provider has read the current inventory: adds a marker member and waits for it. */
  async untilRead(system: System): Promise<void> {
    const marker = await this.member(`marker-${++this.#markers}`);
    const name = this.clusterName(marker);
    const isThere = () => system.ledger.live.some((engagement) => engagement.name === name);
    await this.inventory.add(marker);
    const hint = 'notice a new record at any time';
    await this.until(() => (isThere() ? undefined : statusText(system, name)), {
      expected: `${name}, which was added last, is engaged`,
      hint,
    });
    await this.inventory.remove(marker.name);
    await this.until(() => (isThere() ? statusText(system, name) : undefined), {
      expected: `${name}, whose record was removed, is no longer engaged`,
      hint: 'notice a removed record',
    });
  }

  /** Returns the events of these members' engagements since an instant. */
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
    if (superfluous.length > 0) return `engaged in addition: ${statusTexts(system, superfluous)}`;
    if (String(system.names) !== String([...engaged].sort())) return `clusterNames() is ${textOf(system.names)}`;
    const sample = [...wanted].slice(0, SAMPLE);
    const problems = await Promise.all(sample.map(([name, member]) => this.#memberProblem(system, name, member)));
    return problems.find((problem) => problem !== undefined);
  }

  async #memberProblem(system: System, name: string, member: Member): Promise<string | undefined> {
    const status = system.status(name);
    if (status?.phase !== 'Engaged') return `${statusText(system, name)}, although it is engaged`;
    const cluster = await system.getCluster(name);
    if (this.isVirtual) return undefined;
    const [wanted, actual] = await Promise.all([this.#identityOf(member.config), this.#identityOfCluster(cluster)]);
    if (actual === wanted) return undefined;
    return `${name} leads to ${cluster.config.server}, but its record to ${member.config.server}`;
  }

  /** Identifies a control plane by the uid of its `kube-system` namespace. */
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

/** @throws {Error} with all violations of the provider. */
function expectNoViolations(system: System): void {
  if (!isViolated(system)) return;
  throw failure(
    {
      expected:
        'at most one engagement of each cluster, ended before run() resolves, and a run() that lasts until its signal aborts and releases its resources',
      hint: 'engage with Clusters of @mcr/core, end run() only because of its signal, and end it with removeAll() of Clusters',
    },
    [...new Set(system.ledger.violations)].join('; '),
  );
}

/** Returns the fleet status of a cluster as text. */
export function statusText(system: System, name: string): string {
  const status = system.status(name);
  return status ? `${name} is ${status.phase} (${status.reason})` : `${name} is not in the fleet status`;
}

/** Returns the text of a log line, including the messages of its errors and their causes. */
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
  if (names.length > 20) return `${names.length} clusters`;
  return names.length === 0 ? 'none' : [...names].sort().join(', ');
}
