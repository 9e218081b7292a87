import type { Aware, Cluster, ClusterName, IndexExtractor, Kind, KubernetesObject, Manager, Provider } from '@mcr/core';
import { ClusterNotFoundError, isClusterNotFound, silentLogger, systemClock } from '@mcr/core';
import { checkProvider, parseOptions, Claims, IndexRegistry, oneRun, partText, untilAborted } from '@mcr/core/provider';
import { z } from 'zod';
import { ClusterNames } from './cluster-names.ts';
import type { ProviderStatus, Surroundings } from './member.ts';
import { Member } from './member.ts';

export interface MultiProviderOptions {
  /** Stands between a provider's prefix and the name of a cluster of its own. Default: `#`. */
  readonly separator?: string;
}

const schema = z.strictObject({ separator: z.string().min(1, 'expected at least one character').optional() });

/**
 * Makes one fleet of the clusters of several providers. Each provider has a prefix: its cluster `eu-1` is
 * `<prefix>#eu-1` in the fleet, so that clusters of one name stay apart. (Upstream: `providers/multi`.)
 */
export class MultiProvider implements Provider {
  readonly #names: ClusterNames;
  readonly #members = new Map<string, Member>();
  readonly #indexes = new IndexRegistry();
  readonly #claims = new Claims({ user: 'a MultiProvider', remedy: 'remove it there' });
  #manager: Manager | undefined;
  /** While {@link run} runs. */
  #surroundings: Surroundings | undefined;

  /** @throws {TypeError} that names the option, when one is unknown or wrong. */
  constructor(options: MultiProviderOptions = {}) {
    parseOptions('MultiProvider', schema, options);
    this.#names = new ClusterNames(options.separator ?? '#');
  }

  /**
   * Adds a provider, which begins to discover clusters at once when this one runs. When it fails it is started again,
   * from every second to every minute, and its engaged clusters are kept meanwhile.
   *
   * @param prefix unique, and without the separator.
   * @throws {TypeError} if the prefix cannot be used or is taken, or `provider` is not a provider, is in use by a manager
   * or a MultiProvider, or is being removed from one.
   */
  async addProvider(prefix: string, provider: Provider): Promise<void> {
    this.#names.checkPrefix(prefix);
    checkProvider('MultiProvider.addProvider', provider);
    if (this.#members.has(prefix)) {
      throw new TypeError(`MultiProvider: the prefix ${JSON.stringify(prefix)} is taken: choose another one`);
    }
    if (provider === (this as Provider)) throw new TypeError('MultiProvider: a provider cannot be one of its own');
    for (const { prefix: other, provider: present } of this.#members.values()) {
      if (provider === present) {
        throw new TypeError(
          `MultiProvider: this provider has the prefix ${JSON.stringify(other)} already: make another`,
        );
      }
    }
    this.#claims.take(provider, partText('provider', provider));
    const member = new Member(prefix, provider, (name) => this.#names.qualify({ prefix, name }));
    this.#members.set(prefix, member);
    try {
      await Promise.all([...this.#indexes].map((makeIndex) => makeIndex(provider)));
    } catch (error) {
      if (this.#members.get(prefix) === member) this.#members.delete(prefix);
      await this.#end(member);
      throw error;
    }
    if (this.#surroundings && this.#members.get(prefix) === member) member.start(this.#surroundings);
  }

  /** Stops a provider and disengages its clusters. Resolves when it has stopped. Without such a provider: nothing. */
  async removeProvider(prefix: string): Promise<void> {
    const member = this.#members.get(prefix);
    this.#members.delete(prefix);
    if (member) await this.#end(member);
  }

  async #end(member: Member): Promise<void> {
    await member.remove();
    this.#claims.release(member.provider);
  }

  /** How each provider is doing, by prefix. */
  providers(): readonly ProviderStatus[] {
    return [...this.#members.values()].map(({ status }) => status).sort((a, b) => (a.prefix < b.prefix ? -1 : 1));
  }

  async get(qualified: ClusterName): Promise<Cluster> {
    const split = this.#names.split(qualified);
    const example = this.#names.qualify({ prefix: '<prefix>', name: '<name>' });
    if (!split) throw new ClusterNotFoundError(qualified, { hint: `clusters of this fleet are called ${example}` });
    const member = this.#members.get(split.prefix);
    if (!member) {
      throw new ClusterNotFoundError(qualified, { hint: `no provider has the prefix ${JSON.stringify(split.prefix)}` });
    }
    try {
      return await member.provider.get(split.name);
    } catch (error) {
      // The provider names the cluster as it knows it; who asked, and may look at the name, knows it otherwise.
      throw isClusterNotFound(error) ? new ClusterNotFoundError(qualified, { cause: error }) : error;
    }
  }

  clusterNames(): ClusterName[] {
    const names = [...this.#members.values()].flatMap(({ prefix, provider }) =>
      (provider.clusterNames?.() ?? []).map((name) => this.#names.qualify({ prefix, name })),
    );
    return names.sort();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#indexes.add(kind, name, extract, () => [...this.#members.values()].map(({ provider }) => provider));
  }

  /** Each provider is set up when it is run, so that one that cannot be keeps no other from it. */
  async setupWithManager(manager: Manager): Promise<void> {
    this.#manager = manager;
  }

  /** @throws {TypeError} if it runs already. */
  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    await oneRun(this, partText('provider', this), () => this.#run(aware, signal));
  }

  async #run(aware: Aware, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#manager ?? { clock: systemClock, logger: silentLogger };
    this.#surroundings = { manager: this.#manager, aware, signal, clock, logger };
    for (const member of this.#members.values()) member.start(this.#surroundings);
    await untilAborted(signal);
    this.#surroundings = undefined;
    await Promise.all([...this.#members.values()].map((member) => member.stopped()));
  }
}

/**
 * Creates a provider that combines other providers under name prefixes.
 *
 * @throws {TypeError} if an option is missing, unknown or invalid; the message names it.
 */
export function createMultiProvider(options: MultiProviderOptions = {}): MultiProvider {
  return new MultiProvider(options);
}
