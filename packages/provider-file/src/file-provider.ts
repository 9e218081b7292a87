import type { Aware, Cluster, ClusterName } from '@mcr/core';
import { ClusterNotFoundError, LOCAL_CLUSTER } from '@mcr/core';
import { BaseProvider } from '@mcr/core/provider';
import { DirectoryWatches } from './directory-watches.ts';
import type { Findings } from './inventory.ts';
import { Inventory } from './inventory.ts';
import type { FileProviderOptions } from './options.ts';
import { withDefaults } from './options.ts';
import { Quiet } from './quiet.ts';
import type { Sources } from './sources.ts';
import { sourcesOf } from './sources.ts';

/** Interval at which the files are read without a change, in milliseconds: not every file system reports changes. */
const REREAD_INTERVAL = 60_000;

/**
 * Discovers a cluster for every context in kubeconfig files, which it watches. A cluster is named
 * `<path><separator><context>`. (Upstream: `providers/file`.)
 */
export class FileProvider extends BaseProvider {
  readonly #debounce: number;
  readonly #sources: Sources;
  readonly #inventory: Inventory;
  /** While the files are watched: collects their changes. */
  #changes: Quiet | undefined;

  /** @throws {TypeError} if an option is unknown or invalid; the message names it. */
  constructor(options: FileProviderOptions = {}) {
    const { kubeconfigGlobs: globs, separator, policy, debounce, ...rest } = withDefaults(options);
    super(rest);
    this.#debounce = debounce;
    this.#sources = sourcesOf(rest);
    this.#inventory = new Inventory({ sources: this.#sources, globs, separator, policy });
  }

  /** @param name `''` is the first cluster by name, for programs without a manager. (Upstream: the file provider.) */
  override async get(name: ClusterName): Promise<Cluster> {
    if (name !== LOCAL_CLUSTER) return this.clusters.get(name);
    const [first] = this.clusterNames();
    if (first === undefined) throw new ClusterNotFoundError(name, { hint: 'no kubeconfig file has a cluster yet' });
    return this.clusters.get(first);
  }

  protected async discover(signal: AbortSignal): Promise<void> {
    const changes = new Quiet({ clock: this.clock, debounce: this.#debounce });
    const watches = new DirectoryWatches({
      onChange: () => changes.changed(),
      onError: (error, directory) => this.log.warn('failed to watch directory', { directory, error }),
    });
    this.#changes = changes;
    try {
      while (!signal.aborted) {
        const findings = await this.#inventory.read();
        watches.watch(findings.directories);
        this.#apply(findings);
        this.inventoryRead({ ...this.#sources });
        await changes.next(REREAD_INTERVAL, signal);
      }
    } finally {
      this.#changes = undefined;
      await watches.close();
    }
  }

  /** Reads the files again. */
  protected override rediscover(): void {
    this.#changes?.changed();
  }

  /**
   * Reads the files once. Resolves when every new cluster is engaged, was reported as unreachable, or is served
   * by another process.
   *
   * @param signal disengages the clusters. Default: they stay engaged until the process exits.
   */
  async runOnce(aware: Aware, signal: AbortSignal = new AbortController().signal): Promise<void> {
    if (signal.aborted) return;
    const findings = await this.#inventory.read();
    const waiting = new Set([...findings.clusters.keys()].filter((name) => !this.clusters.has(name)));
    const done = Promise.withResolvers<void>();
    const reported = (name: ClusterName): void => {
      waiting.delete(name);
      if (waiting.size === 0) done.resolve();
    };
    const listening: Aware = {
      engage: (name, cluster, life) => aware.engage(name, cluster, life).finally(() => reported(name)),
      report: (name, observation) => {
        aware.report?.(name, observation);
        if (observation.phase !== 'Connecting') reported(name);
      },
      described: (name, labels) => aware.described?.(name, labels),
      ownership: aware.ownership,
    };
    const onAbort = (): void => void this.clusters.close().finally(done.resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    this.clusters.open({ aware: listening, signal });
    this.#apply(findings);
    // A refusal for the same reason is not reported again.
    for (const name of waiting) if (!this.clusters.has(name)) waiting.delete(name);
    if (waiting.size === 0) done.resolve();
    await done.promise;
  }

  /** Sets, refuses and removes clusters so that they match the findings. */
  #apply({ clusters, problems }: Findings): void {
    for (const name of this.clusters.names()) {
      if (clusters.has(name) || problems.has(name)) continue;
      this.clusters.remove(name, 'its context is no longer in a kubeconfig file');
    }
    for (const [name, { path, context, config, digest, fault }] of clusters) {
      const info = { provider: 'file', properties: { path, context } };
      if (fault && this.clusters.has(name)) this.clusters.refuse(name, fault);
      else this.clusters.set(name, { digest, config: () => config, info });
    }
    for (const [name, problem] of problems) this.clusters.refuse(name, problem);
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
