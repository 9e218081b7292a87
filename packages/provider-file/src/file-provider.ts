import type {
  Aware,
  Clock,
  Cluster,
  ClusterName,
  IndexExtractor,
  Kind,
  KubernetesObject,
  Logger,
  Manager,
  Provider,
} from '@mcr/core';
import {
  ClusterNotFoundError,
  Clusters,
  LOCAL_CLUSTER,
  configsEqual,
  createCluster,
  silentLogger,
  sleep,
  systemClock,
} from '@mcr/core';
import { DirectoryWatches } from './directory-watches.ts';
import type { Entry, Findings } from './inventory.ts';
import { Inventory } from './inventory.ts';
import type { FileProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';
import { Quiet } from './quiet.ts';
import { sourcesOf } from './sources.ts';

/** Files are looked at this often in any case, in milliseconds: not every file system tells of changes. */
const LOOK_AGAIN = 60_000;

/** A cluster that stopped by itself, or that somebody refused, is made again after this long, in milliseconds. */
const UNTIL_MADE_AGAIN = 5_000;

/**
 * Makes a cluster of every context in kubeconfig files, which it watches. A cluster is named
 * `<path><separator><context>`. (Upstream: `providers/file`.)
 */
export class FileProvider implements Provider {
  readonly #options: ReturnType<typeof withDefaults>;
  readonly #clusters: Clusters;
  readonly #inventory: Inventory;
  /** What the clusters were last made of. */
  readonly #wanted = new Map<ClusterName, Entry>();
  /** What was last found to be wrong. */
  #problems: Findings['problems'] = new Map();
  #manager: Manager | undefined;
  /** Has the files looked at again. */
  #onLost: () => void = () => undefined;

  /** @throws {TypeError} that names the option, when one is unknown or wrong. */
  constructor(options: FileProviderOptions = {}) {
    this.#options = withDefaults(options);
    const { kubeconfigGlobs: globs, separator, policy, clusterOptions } = this.#options;
    this.#inventory = new Inventory({ sources: sourcesOf(this.#options), globs, separator, policy });
    this.#clusters = new Clusters({
      ...(clusterOptions.clock && { clock: clusterOptions.clock }),
      onError: (error, cluster) => {
        if (!this.#clusters.has(cluster)) this.#onLost();
        this.#log.error('cluster failed', { cluster, error });
      },
    });
  }

  async setupWithManager(manager: Manager): Promise<void> {
    this.#manager = manager;
  }

  /** @param name `''` is the first cluster by name. */
  async get(name: ClusterName): Promise<Cluster> {
    if (name !== LOCAL_CLUSTER) return this.#clusters.get(name);
    const [first] = this.#clusters.clusterNames();
    if (first === undefined) throw new ClusterNotFoundError(name, { hint: 'no kubeconfig file has a cluster yet' });
    return this.#clusters.get(first);
  }

  clusterNames(): ClusterName[] {
    return this.#clusters.clusterNames();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#clusters.indexField(kind, name, extract);
  }

  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    const quiet = new Quiet({ clock: this.#clock, debounce: this.#options.debounce });
    const watches = new DirectoryWatches({
      onChange: () => quiet.changed(),
      onError: (error, directory) => this.#log.warn('a directory cannot be watched', { directory, error }),
    });
    this.#onLost = () => {
      const made = sleep(this.#clock, UNTIL_MADE_AGAIN, signal).then(() => quiet.changed());
      made.catch(() => undefined);
    };
    try {
      while (!signal.aborted) {
        const findings = await this.#inventory.read();
        watches.watch(findings.directories);
        this.#apply(findings, aware, (name, cluster) => this.#clusters.ensure(name, cluster, aware, signal));
        await quiet.next(LOOK_AGAIN, signal);
      }
    } finally {
      this.#onLost = () => undefined;
      this.#problems = new Map();
      await watches.close();
      await this.#clusters.removeAll({ reason: 'the provider stops' });
    }
  }

  /**
   * Looks at the files once. Resolves when every cluster is engaged, or has failed to be, which `aware` is told of.
   *
   * @param signal ends the clusters. Default: they last as long as the process.
   */
  async runOnce(aware: Aware, signal: AbortSignal = new AbortController().signal): Promise<void> {
    const added: Promise<void>[] = [];
    this.#apply(await this.#inventory.read(), aware, (name, cluster) => {
      const failed = (error: unknown) => {
        if (signal.aborted) return;
        const { message } = error as Error;
        aware.report?.(name, { phase: 'Unreachable', reason: message, error: error as Error });
      };
      added.push(this.#clusters.addOrReplace(name, cluster, aware, signal).catch(failed));
    });
    await Promise.all(added);
  }

  /** Has the clusters be those that were found. */
  #apply({ clusters, problems }: Findings, aware: Aware, add: (name: ClusterName, cluster: Cluster) => void): void {
    const current = new Map(problems);
    for (const [name, { path }] of this.#wanted) {
      if (clusters.has(name)) continue;
      this.#wanted.delete(name);
      // A cluster that is slow to stop keeps no other from its place.
      void this.#clusters.remove(name, { reason: `its context is gone from ${path}, or the file is` });
    }
    for (const [name, entry] of clusters) {
      const before = this.#wanted.get(name);
      if (before && configsEqual(before.config, entry.config) && this.#clusters.has(name)) continue;
      try {
        const cluster = this.#createCluster(name, entry);
        this.#wanted.set(name, entry);
        add(name, cluster);
      } catch (error) {
        current.set(name, error as Error);
      }
    }
    this.#tell(current, aware);
  }

  /** Tells of what is wrong now and was not before, and the other way round. */
  #tell(problems: Findings['problems'], aware: Aware): void {
    for (const [name, error] of problems) {
      if (this.#problems.get(name)?.message === error.message) continue;
      aware.report?.(name, { phase: 'Unreachable', reason: error.message, error });
    }
    for (const name of this.#problems.keys()) {
      if (problems.has(name)) continue;
      const phase = this.#clusters.has(name) ? 'Connecting' : 'Disengaged';
      aware.report?.(name, { phase, reason: 'what was wrong with its kubeconfig is put right, or gone' });
    }
    this.#problems = problems;
  }

  #createCluster(name: ClusterName, { path, context, config }: Entry): Cluster {
    const { configure, clusterOptions } = this.#options;
    const tracer = this.#manager?.tracer;
    return createCluster(configure(config), {
      clock: this.#clock,
      logger: this.#log.child({ cluster: name }),
      ...(tracer && { tracer }),
      ...clusterOptions,
      name,
      info: { provider: 'file', properties: { path, context } },
    });
  }

  get #clock(): Clock {
    return this.#options.clusterOptions.clock ?? this.#manager?.clock ?? systemClock;
  }

  get #log(): Logger {
    return this.#manager?.logger ?? silentLogger;
  }
}
