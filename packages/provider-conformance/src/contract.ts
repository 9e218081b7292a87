import type { ClusterConfig, ClusterName, ClusterOptions, Provider } from '@mcr/core';
import type { ControlPlane, ObjectManifest } from '@mcr/envtest';

/** An operation of {@link ProviderSetup}, or a property of the inventory, that some cases need. */
export type Capability =
  | 'change'
  | 'relabel'
  | 'break'
  | 'unready'
  | 'ready'
  | 'outage'
  | 'interrupt'
  /** Users who must not run code in the controller can write records. */
  | 'untrusted records';

/** Describes a provider to the suite. */
export interface ProviderDefinition {
  /** Name for titles and messages, for example `kubeconfig`. */
  readonly name: string;
  /** Creates an empty inventory and the operations on it. Called once per case, and never concurrently. */
  readonly setup: (environment: ConformanceEnvironment) => Promise<ProviderSetup>;
  /** CustomResourceDefinitions to install in the hub. */
  readonly crds?: readonly ObjectManifest[];
  /**
   * Kind of the provider's clusters: control planes that the provider connects to with the member's record, or virtual
   * clusters that it creates itself, such as namespaces. Default: `control plane`.
   */
  readonly members?: 'control plane' | 'virtual';
  /**
   * Operations or properties that the provider or its inventory does not have, each with the reason. Cases that need
   * them are left out, and reported as skipped with the reason. Default: none.
   */
  readonly without?: Partial<Record<Capability, string>>;
  /** Time for the provider to follow its inventory, in milliseconds. Default: 20,000. */
  readonly patience?: number;
  /**
   * Number of members that are added at once in the case for large fleets. A twentieth of them is broken. Default: 500.
   */
  readonly fleetSize?: number;
  /** Seeds of the random cases, one case for each. Default: `$MCR_SEED` (separated by commas), else 1, 2 and 3. */
  readonly seeds?: readonly number[];
}

/** Resources that a case provides to `setup`. */
export interface ConformanceEnvironment {
  /**
   * A control plane for this case only: the hub of the manager that runs the provider. Inventories outside of a cluster
   * can ignore it.
   */
  readonly hub: ControlPlane;
}

/**
 * A provider and operations on its inventory. An operation resolves once the inventory contains the change; the suite
 * tests when the provider notices it. Operations on different members can run concurrently.
 *
 * An operation that does not apply to a provider is absent, and `without` of its definition contains the reason.
 */
export interface ProviderSetup {
  /**
   * Creates a provider that reads this inventory. If it polls, use an interval of about 50 ms.
   *
   * @param options values for the options of the provider with these names (PV-6). Empty for a provider of virtual
   *   clusters.
   */
  createProvider(options: MemberOptions): Provider;
  /** Adds a record of a new member to the inventory. The record is valid and ready. */
  add(member: Member): Promise<void>;
  /** Removes the record of a member from the inventory. Removing a missing record is not an error. */
  remove(name: string): Promise<void>;
  /**
   * Replaces a member's record, with other credentials, another endpoint, or the same content. Also repairs a record
   * that {@link break} has made invalid.
   */
  change?(member: Member): Promise<void>;
  /** Replaces the labels of a member's record and changes nothing else. Absent if records have no labels. */
  relabel?(member: Member): Promise<void>;
  /**
   * Makes a member's record invalid, like a typing error, without removing it. Put the error in the line with the
   * member's token, which parsers then quote: the suite checks that the token is not in logs or reasons. The provider
   * keeps an engaged cluster, and reports the problem in the fleet status.
   */
  break?(name: string): Promise<void>;
  /** Makes a member not ready, for inventories with readiness. */
  unready?(name: string): Promise<void>;
  /** Makes a member ready again after {@link unready}. */
  ready?(name: string): Promise<void>;
  /**
   * Makes the inventory fail for every reader.
   *
   * @returns a function that ends the outage.
   */
  outage?(): Promise<() => Promise<void>>;
  /** Ends open reads of the inventory, such as watches, without an error. New reads succeed at once. */
  interrupt?(): Promise<void>;
  /** Returns the name of a member's cluster in the fleet. Default: the member's name. */
  clusterName?(name: string): ClusterName;
  /** Releases the resources of `setup`. Called after the provider has stopped. */
  dispose?(): Promise<void>;
}

/** A member of the fleet, as its record in the inventory must describe it. */
export interface Member {
  /** A DNS label. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly config: ClusterConfig;
  /**
   * Kubeconfig with the same content as `config`, in JSON (and so in YAML). Its only context, cluster and user are
   * named `name`.
   */
  readonly kubeconfig: string;
}

/** Options that a provider passes on to its clusters (PV-6). */
export interface MemberOptions {
  readonly clusterOptions?: Pick<ClusterOptions, 'tracer'>;
  readonly configure?: (config: ClusterConfig) => ClusterConfig;
}

/** A test of a provider, for any test runner. */
export interface ConformanceCase {
  /** Id of the behaviour, for example `PV-3`: see https://github.com/mcr-dev/mcr/blob/main/docs/behaviours.md. */
  readonly id: string;
  readonly title: string;
  /** Maximum duration of the case, in milliseconds. */
  readonly deadline: number;
  /**
   * Reason why the case does not apply to this provider. If it is set, report the case as skipped and do not run it.
   */
  readonly leftOut?: string;
  /** @throws {Error} if the provider fails the case, with the expected and the actual behaviour and a hint. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}
