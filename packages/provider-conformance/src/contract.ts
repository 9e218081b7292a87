import type { ClusterConfig, ClusterName, ClusterOptions, Provider } from '@mcr/core';
import type { ControlPlane, EmbeddedClusterOptions } from '@mcr/envtest';

/** An operation of {@link ProviderSetup}, or a property of the inventory, that some cases need. */
export type Capability =
  | 'change'
  | 'relabel'
  | 'break'
  | 'unready'
  | 'ready'
  | 'outage'
  | 'interrupt'
  /** Records can be written by people who must not run code in the controller. */
  | 'untrusted records';

/** A provider, as its author describes it to the suite. */
export interface ProviderDefinition {
  /** For titles and messages, for example `kubeconfig`. */
  readonly name: string;
  /** Called anew for each case, at the same time for none: an empty inventory, and the means to change it. */
  readonly setup: (environment: ConformanceEnvironment) => Promise<ProviderSetup>;
  /** CustomResourceDefinitions that the hub begins with. */
  readonly crds?: EmbeddedClusterOptions['crds'];
  /**
   * What a cluster of this provider is: a control plane that it connects to as the member's record says, or something
   * of its own making that no record says how to reach, such as a namespace. Default: `control plane`.
   */
  readonly members?: 'control plane' | 'virtual';
  /**
   * Operations or properties that the provider or its inventory does not have, each with the reason. The cases that
   * need it are left out, and reported as skipped with that reason. Default: it has everything.
   */
  readonly without?: Partial<Record<Capability, string>>;
  /** How long the provider may take to follow its inventory, in milliseconds. Default: 10,000. */
  readonly patience?: number;
  /** How many members join at once in the case that is about that; a twentieth of them is broken. Default: 500. */
  readonly fleetSize?: number;
  /** Of the random cases, one for each. Default: `$MCR_SEED` (separated by commas), else 1, 2 and 3. */
  readonly seeds?: readonly number[];
}

/** What a case has for a provider. */
export interface ConformanceEnvironment {
  /**
   * A control plane of this case alone: the hub of the manager that runs the provider. For inventories that are kept
   * elsewhere it means nothing.
   */
  readonly hub: ControlPlane;
}

/**
 * A provider and its inventory, in the hands of the suite. Everything resolves when the inventory says the new thing;
 * when the provider notices is what is tested. Operations on different members can be called at the same time.
 *
 * An operation that does not apply to a provider is absent, and `without` of its definition gives the reason.
 */
export interface ProviderSetup {
  /**
   * A new provider that reads this inventory. An inventory that is polled should be polled every 50 ms or so.
   *
   * @param options what the provider's own options of these names are to be (PV-6); for a provider of virtual clusters
   * they are empty.
   */
  createProvider(options: MemberOptions): Provider;
  /** Puts a record of a new member into the inventory: one that can be used, and is ready. */
  add(member: Member): Promise<void>;
  /** Takes the record of a member out of the inventory; harmless when there is none. */
  remove(name: string): Promise<void>;
  /**
   * Writes a member's record as it is to be from now on, with other credentials or another endpoint. Also makes a
   * record good again that {@link break} has spoiled; and may be called with what it says already.
   */
  change?(member: Member): Promise<void>;
  /** Writes the labels of a member's record, and changes nothing else. Left out where records have no labels. */
  relabel?(member: Member): Promise<void>;
  /**
   * Spoils a member's record, as a slip of the pen does: it is there, and cannot be used. The provider keeps the cluster
   * that it has, if any, and says in the fleet status what is wrong.
   */
  break?(name: string): Promise<void>;
  /** Takes from a member what makes it ready, for inventories that tell that apart from being a member. */
  unready?(name: string): Promise<void>;
  /** Gives back what {@link unready} has taken. */
  ready?(name: string): Promise<void>;
  /**
   * Makes the inventory fail for every reader.
   *
   * @returns ends the outage.
   */
  outage?(): Promise<() => Promise<void>>;
  /** Ends in good order whatever the provider reads the inventory by, such as its watches. Reading again works at once. */
  interrupt?(): Promise<void>;
  /** What the fleet calls the cluster of a member. Default: the member's name. */
  clusterName?(name: string): ClusterName;
  /** Lets go of what `setup` holds. The provider has stopped then. */
  dispose?(): Promise<void>;
}

/** A member of the fleet, as its record in the inventory is to say. */
export interface Member {
  /** A DNS label. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly config: ClusterConfig;
  /** The same as `config`: a kubeconfig in JSON (and so in YAML), whose one context, cluster and user are `name`. */
  readonly kubeconfig: string;
}

/** What a provider passes on to its members (PV-6). */
export interface MemberOptions {
  readonly clusterOptions?: Pick<ClusterOptions, 'tracer'>;
  readonly configure?: (config: ClusterConfig) => ClusterConfig;
}

/** One test of a provider, for any test runner. */
export interface ConformanceCase {
  /** The behaviour, for example `PV-3`: see https://github.com/mcr-dev/mcr/blob/main/docs/behaviours.md. */
  readonly id: string;
  readonly title: string;
  /** Milliseconds within which it has passed or failed. */
  readonly deadline: number;
  /** Why the case does not apply to this provider. Report it as skipped, and do not run it. */
  readonly leftOut?: string;
  /** @throws {Error} when the provider fails the case: what was expected, what was found, and what to look at. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}
