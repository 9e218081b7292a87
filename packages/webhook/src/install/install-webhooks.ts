import type { Cluster, ClusterName, Manager, Runnable, RunnableGroup } from '@mcr/core';
import { createClient, LOCAL_CLUSTER, sleep } from '@mcr/core';
import { Backoff, orAborted, parseOptions, untilAborted } from '@mcr/core/provider';
import type { WebhookServer } from '../server/webhook-server.ts';
import { applyWebhooks } from './cluster-installation.ts';
import { checkInstallable } from './configurations.ts';
import type { InstallWebhooksOptions, ParsedInstallOptions } from './installation-options.ts';
import { installWebhooksSchema } from './installation-options.ts';
import { removeWebhooks } from './remove-webhooks.ts';

/** Backoff after a cluster refused the configurations, in milliseconds. */
const RETRY = { base: 1_000, max: 60_000 };
/** Deadline for the deletion of configurations from a cluster that left, in milliseconds. */
const REMOVAL_TIMEOUT = 30_000;

/**
 * Installs the webhooks and conversions of a server into every selected cluster, and keeps them as they should be: it
 * applies them when a cluster is engaged, again after `resyncPeriod`, and deletes the configurations when a cluster leaves the
 * fleet. Failures are per cluster, are retried, and are shown in the fleet status. The leader does this, or with sharding
 * the owner of each cluster. Every replica serves.
 *
 * Register all webhooks before the manager starts.
 *
 * @throws {TypeError} if an option is missing, unknown or invalid; the message names it.
 */
export async function installWebhooks(
  manager: Manager,
  server: WebhookServer,
  options: InstallWebhooksOptions,
): Promise<void> {
  const parsed = parseOptions(
    'installWebhooks',
    installWebhooksSchema,
    options,
    "{ name: 'carts.example.com', url: ... }",
  );
  const clusters = parsed.clusters ?? (parsed.url !== undefined && manager.provider ? 'fleet' : 'local');
  if (clusters !== 'local' && parsed.failurePolicy === undefined) {
    throw new TypeError(
      'installWebhooks: option "failurePolicy": choose "Fail" or "Ignore": with "Fail", an outage of the webhook server blocks writes in every cluster',
    );
  }
  for (const { kind } of [...server.webhooks, ...server.conversions]) checkInstallable(kind);
  await manager.add(new WebhookInstaller(manager, server, { ...parsed, clusters }));
}

type Options = ParsedInstallOptions & { readonly clusters: NonNullable<ParsedInstallOptions['clusters']> };

class WebhookInstaller implements Runnable {
  readonly group: RunnableGroup;
  readonly engageLocal: boolean;
  readonly #manager: Manager;
  readonly #server: WebhookServer;
  readonly #options: Options;
  readonly #engaged = new Map<ClusterName, Cluster>();
  readonly #work = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(manager: Manager, server: WebhookServer, options: Options) {
    this.#manager = manager;
    this.#server = server;
    this.#options = options;
    // With sharding, clusters are engaged with their owner only.
    this.group = manager.slots ? 'other' : 'leader-elected';
    this.engageLocal = options.clusters !== 'fleet';
  }

  describe(): string {
    return `the installation of the webhooks ${this.#options.name}`;
  }

  async engage(name: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<void> {
    if (signal.aborted || !this.#selects(name, cluster) || this.#engaged.get(name) === cluster) return;
    this.#engaged.set(name, cluster);
    const work = this.#keep(name, cluster, signal);
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }

  async run(signal: AbortSignal): Promise<void> {
    await untilAborted(signal);
    this.#stopping.abort(signal.reason);
    await Promise.all(this.#work);
  }

  #selects(name: ClusterName, cluster: Cluster): boolean {
    const { clusters } = this.#options;
    if (typeof clusters === 'function') return clusters(name, cluster);
    return clusters === 'all' || (clusters === 'local') === (name === LOCAL_CLUSTER);
  }

  /** Keeps the configurations of a cluster until it leaves or the manager stops. Never rejects. */
  async #keep(name: ClusterName, cluster: Cluster, engagement: AbortSignal): Promise<void> {
    const { clock, slots, elected } = this.#manager;
    const signal = AbortSignal.any([engagement, this.#stopping.signal]);
    const backoff = new Backoff(RETRY);
    try {
      if (!slots) await orAborted(elected, signal);
      for (;;) {
        const delay = (await this.#apply(name, cluster, signal)) ? this.#resyncDelay(backoff) : backoff.next();
        await sleep(clock, delay, signal);
      }
    } catch {
      // The signal has aborted: everything else is retried.
    }
    this.#report(name, 'stopped');
    const { signal: stopping } = this.#stopping;
    await sleep(clock, this.#options.removalDelay, stopping).then(
      () => this.#remove(name, cluster),
      () => undefined,
    );
  }

  #resyncDelay(backoff: Backoff): number {
    backoff.reset();
    // Jitter, so that a thousand clusters are not written at the same moment.
    return this.#options.resyncPeriod * (0.9 + 0.2 * Math.random());
  }

  /** @returns whether the cluster accepted the configurations. */
  async #apply(name: ClusterName, cluster: Cluster, signal: AbortSignal): Promise<boolean> {
    const { url, service, failurePolicy, excludedNamespaces, name: configuration } = this.#options;
    try {
      const caBundle = this.#options.caBundle ?? (await this.#server.authorities());
      const input = { url, service, failurePolicy, excludedNamespaces, cluster: name, caBundle };
      const { client } = cluster;
      await applyWebhooks({ client, name: configuration, server: this.#server, input, signal });
      this.#report(name, 'synced');
      return true;
    } catch (error) {
      signal.throwIfAborted();
      this.#report(name, 'failed', error as Error);
      this.#manager.logger.warn('failed to install webhooks, retrying', { cluster: name, error });
      return false;
    }
  }

  /** Deletes the configurations of a cluster that has left, unless it is back or another replica owns it. */
  async #remove(name: ClusterName, cluster: Cluster): Promise<void> {
    const { logger, slots } = this.#manager;
    if (this.#engaged.get(name) !== cluster || name === LOCAL_CLUSTER) return;
    this.#engaged.delete(name);
    if (slots && this.#manager.ownership?.stateOf(name) !== 'active') return;
    // The client of the cluster has stopped with it. Its credentials may still be valid.
    const client = createClient(cluster.config);
    try {
      const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(REMOVAL_TIMEOUT)]);
      await removeWebhooks(client, { name: this.#options.name, signal });
      logger.info('removed the webhooks of a cluster that left the fleet', { cluster: name });
    } catch (error) {
      logger.warn('failed to remove the webhooks of a cluster that left the fleet', { cluster: name, error });
    } finally {
      await client[Symbol.asyncDispose]();
    }
  }

  #report(name: ClusterName, state: 'synced' | 'failed' | 'stopped', error?: Error): void {
    const source = `webhooks ${this.#options.name}`;
    this.#manager.fleet.recorder.source(name, { controller: 'webhooks', source, state, ...(error && { error }) });
  }
}
