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
import { ClusterNotFoundError, LOCAL_CLUSTER, Roster, silentLogger, sleep, systemClock } from '@mcr/core';
import { DirectoryWatches } from './directory-watches.ts';
import type { Findings } from './inventory.ts';
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
  readonly #roster: Roster;
  readonly #inventory: Inventory;
  #manager: Manager | undefined;
  /** Has the files looked at again. */
  #onLost: () => void = () => undefined;

  /** @throws {TypeError} that names the option, when one is unknown or wrong. */
  constructor(options: FileProviderOptions = {}) {
    this.#options = withDefaults(options);
    const { kubeconfigGlobs: globs, separator, policy, clusterOptions, configure } = this.#options;
    this.#inventory = new Inventory({ sources: sourcesOf(this.#options), globs, separator, policy });
    this.#roster = new Roster({ clusterOptions, configure, onLost: () => this.#onLost() });
  }

  async setupWithManager(manager: Manager): Promise<void> {
    this.#manager = manager;
  }

  /** @param name `''` is the first cluster by name, for programs without a manager. (Upstream: the file provider.) */
  async get(name: ClusterName): Promise<Cluster> {
    if (name !== LOCAL_CLUSTER) return this.#roster.get(name);
    const [first] = this.#roster.clusterNames();
    if (first === undefined) throw new ClusterNotFoundError(name, { hint: 'no kubeconfig file has a cluster yet' });
    return this.#roster.get(first);
  }

  clusterNames(): ClusterName[] {
    return this.#roster.clusterNames();
  }

  async indexField<T extends KubernetesObject>(kind: Kind<T>, name: string, extract: IndexExtractor<T>): Promise<void> {
    await this.#roster.indexField(kind, name, extract);
  }

  async run(aware: Aware, signal: AbortSignal): Promise<void> {
    await this.#roster.serve({ aware, signal, manager: this.#manager }, () => this.#discover(signal));
  }

  async #discover(signal: AbortSignal): Promise<void> {
    const quiet = new Quiet({ clock: this.#clock, debounce: this.#options.debounce });
    const watches = new DirectoryWatches({
      onChange: () => quiet.changed(),
      onError: (error, directory) => this.#log.warn('failed to watch directory', { directory, error }),
    });
    this.#onLost = () => {
      const made = sleep(this.#clock, UNTIL_MADE_AGAIN, signal).then(() => quiet.changed());
      made.catch(() => undefined);
    };
    try {
      while (!signal.aborted) {
        const findings = await this.#inventory.read();
        watches.watch(findings.directories);
        this.#apply(findings);
        await quiet.next(LOOK_AGAIN, signal);
      }
    } finally {
      this.#onLost = () => undefined;
      await watches.close();
    }
  }

  /**
   * Looks at the files once. Resolves when every new cluster is engaged, or is told of as one that cannot be reached for now.
   *
   * @param signal ends the clusters. Default: they last as long as the process.
   */
  async runOnce(aware: Aware, signal: AbortSignal = new AbortController().signal): Promise<void> {
    if (signal.aborted) return;
    const findings = await this.#inventory.read();
    const waiting = new Set([...findings.clusters.keys()].filter((name) => !this.#roster.has(name)));
    const done = Promise.withResolvers<void>();
    const heardOf = (name: ClusterName): void => {
      waiting.delete(name);
      if (waiting.size === 0) done.resolve();
    };
    const listening: Aware = {
      engage: (name, cluster, life) => aware.engage(name, cluster, life).finally(() => heardOf(name)),
      report: (name, observation) => {
        aware.report?.(name, observation);
        if (observation.phase !== 'Connecting') heardOf(name);
      },
    };
    const onAbort = (): void => void this.#roster.close().finally(done.resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#roster.open({ aware: listening, signal, manager: this.#manager });
    this.#apply(findings);
    // What is refused for the same reason as before is not told of again.
    for (const name of waiting) if (!this.#roster.has(name)) waiting.delete(name);
    if (waiting.size === 0) done.resolve();
    await done.promise;
  }

  /** Has the clusters be those that were found. */
  #apply({ clusters, problems }: Findings): void {
    for (const name of this.#roster.names()) {
      if (clusters.has(name) || problems.has(name)) continue;
      this.#roster.remove(name, 'it is in no kubeconfig file any more');
    }
    for (const [name, { path, context, config, digest, fault }] of clusters) {
      const info = { provider: 'file', properties: { path, context } };
      if (fault && this.#roster.has(name)) this.#roster.refuse(name, fault);
      else this.#roster.admit(name, { digest, config: () => config, info });
    }
    for (const [name, problem] of problems) this.#roster.refuse(name, problem);
  }

  get #clock(): Clock {
    return this.#options.clusterOptions.clock ?? this.#manager?.clock ?? systemClock;
  }

  get #log(): Logger {
    return this.#manager?.logger ?? silentLogger;
  }
}

/**
 * Creates a provider for the clusters in kubeconfig files.
 *
 * @throws {TypeError} if an option is missing, unknown or invalid; the message names it.
 */
export function createFileProvider(options: FileProviderOptions = {}): FileProvider {
  return new FileProvider(options);
}
