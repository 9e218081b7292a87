import type {
  Aware,
  Cluster,
  ClusterName,
  IndexExtractor,
  Kind,
  KubernetesObject,
  Manager,
  Permission,
  Provider,
} from '@mcr/core';
import {
  ClusterNotFoundError,
  isClusterNotFound,
  isNotOwner,
  NotOwnerError,
  silentLogger,
  systemClock,
} from '@mcr/core';
import { checkProvider, parseOptions, Claims, IndexRegistry, oneRun, partText, untilAborted } from '@mcr/core/provider';
import * as z from 'zod';
import { ClusterNames } from './cluster-names.ts';
import type { ProviderStatus, Environment } from './member.ts';
import { Member } from './member.ts';

export interface MultiProviderOptions {
  /** Providers by their prefixes, as {@link MultiProvider.addProvider} adds them. Default: none. */
  readonly providers?: Readonly<Record<string, Provider>>;
  /** Separates the prefix of a provider and the name of its cluster. Default: `#`. */
  readonly separator?: string;
}

const schema = z.strictObject({
  // Each provider is checked when it is added.
  providers: z.record(z.string(), z.unknown()).optional(),
  separator: z.string().min(1, 'expected at least one character').optional(),
});

/**
 * Combines the clusters of several providers in one fleet. Each provider has a prefix: its cluster `eu-1` is
 * `<prefix>#eu-1` in the fleet, so that names stay unique. (Upstream: `providers/multi`.)
 */
export class MultiProvider implements Provider {
  readonly #names: ClusterNames;
  readonly #members = new Map<string, Member>();
  readonly #indexes = new IndexRegistry();
  readonly #claims = new Claims({ user: 'a MultiProvider', remedy: 'remove it there' });
  #manager: Manager | undefined;
  /** Set while {@link run} runs. */
  #environment: Environment | undefined;

  /** @throws {TypeError} if an option is unknown or invalid, or a provider cannot be added; the message names it. */
  constructor(options: MultiProviderOptions = {}) {
    parseOptions('MultiProvider', schema, options);
    this.#names = new ClusterNames(options.separator ?? '#');
    try {
      for (const [prefix, provider] of Object.entries(options.providers ?? {})) this.#claim(prefix, provider);
    } catch (error) {
      for (const { provider } of this.#members.values()) this.#claims.release(provider);
      throw error;
    }
  }

  /**
   * Adds a provider. If this provider runs, the added one starts at once. When it fails, it is restarted with backoff, from
   * 1 s to 1 min, and its engaged clusters are kept.
   *
   * @param prefix unique, and without the separator.
   * @throws {TypeError} if the prefix is invalid or taken, or `provider` is not a provider, is in use by a manager
   * or a MultiProvider, or is being removed from one.
   */
  async addProvider(prefix: string, provider: Provider): Promise<void> {
    const member = this.#claim(prefix, provider);
    try {
      await Promise.all([...this.#indexes].map((makeIndex) => makeIndex(provider)));
    } catch (error) {
      if (this.#members.get(prefix) === member) this.#members.delete(prefix);
      await this.#end(member);
      throw error;
    }
    if (this.#environment && this.#members.get(prefix) === member) member.start(this.#environment);
  }

  /** Adds a provider, which is not started. */
  #claim(prefix: string, provider: Provider): Member {
    this.#names.checkPrefix(prefix);
    checkProvider('MultiProvider.addProvider', provider);
    if (this.#members.has(prefix)) {
      throw new TypeError(`MultiProvider: prefix ${JSON.stringify(prefix)} is taken: choose another one`);
    }
    if (provider === (this as Provider)) throw new TypeError('MultiProvider: a provider cannot be added to itself');
    for (const { prefix: other, provider: present } of this.#members.values()) {
      if (provider === present) {
        throw new TypeError(
          `MultiProvider: this provider already has the prefix ${JSON.stringify(other)}: create another one`,
        );
      }
    }
    this.#claims.take(provider, partText('provider', provider));
    const member = new Member(prefix, provider, {
      qualify: (name) => this.#names.qualify({ prefix, name }),
      nameOf: (qualified) => {
        const split = this.#names.split(qualified);
        return split?.prefix === prefix ? split.name : undefined;
      },
    });
    this.#members.set(prefix, member);
    return member;
  }

  /** Stops a provider and disengages its clusters. Resolves when it has stopped. An unknown prefix has no effect. */
  async removeProvider(prefix: string): Promise<void> {
    const member = this.#members.get(prefix);
    this.#members.delete(prefix);
    if (member) await this.#end(member);
  }

  async #end(member: Member): Promise<void> {
    await member.remove();
    this.#claims.release(member.provider);
  }

  /** The state of each provider, sorted by prefix. */
  providers(): readonly ProviderStatus[] {
    return [...this.#members.values()].map(({ status }) => status).sort((a, b) => (a.prefix < b.prefix ? -1 : 1));
  }

  async get(qualified: ClusterName): Promise<Cluster> {
    const split = this.#names.split(qualified);
    const example = this.#names.qualify({ prefix: '<prefix>', name: '<name>' });
    if (!split) throw new ClusterNotFoundError(qualified, { hint: `clusters of this fleet are named ${example}` });
    const member = this.#members.get(split.prefix);
    if (!member) {
      throw new ClusterNotFoundError(qualified, { hint: `no provider has the prefix ${JSON.stringify(split.prefix)}` });
    }
    try {
      return await member.provider.get(split.name);
    } catch (error) {
      // The error of the provider has its own name of the cluster. The caller knows the qualified name.
      if (isNotOwner(error)) throw new NotOwnerError(qualified, { owner: error.owner, cause: error });
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

  /** Returns the permissions of its providers. */
  permissions(): Permission[] {
    return [...this.#members.values()].flatMap(({ provider }) => provider.permissions?.() ?? []);
  }

  /** Remembers the manager. Each provider is set up when it starts, so that one that fails does not affect the others. */
  async setupWithManager(manager: Manager): Promise<void> {
    this.#manager = manager;
  }

  /** @throws {TypeError} if the provider already runs. */
  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    await oneRun(this, partText('provider', this), () => this.#run(aware, signal));
  }

  async #run(aware: Aware, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#manager ?? { clock: systemClock, logger: silentLogger };
    this.#environment = { manager: this.#manager, aware, signal, clock, logger };
    for (const member of this.#members.values()) member.start(this.#environment);
    await untilAborted(signal);
    this.#environment = undefined;
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
