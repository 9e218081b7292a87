import type { Cluster, ClusterName, Manager } from '@mcr/core';
import { createClient, LOCAL_CLUSTER } from '@mcr/core';
import {
  clusterFilterOf,
  type ClusterUpkeep,
  createClusterUpkeep,
  orAborted,
  parseOptions,
  selectedOrigins,
  type UpkeepTask,
} from '@mcr/core/provider';
import type { CaBundleConsumer } from '../certificates/ca-bundle-consumer.ts';
import type { WebhookServer } from '../server/webhook-server.ts';
import { applyWebhooks, DefinitionMissingError, removeInstalled } from './cluster-installation.ts';
import { installationPermissions } from './installation-permissions.ts';
import { checkInstallable } from './configurations.ts';
import type { InstallWebhooksOptions, ParsedInstallOptions } from './installation-options.ts';
import { installWebhooksSchema, ownerOf } from './installation-options.ts';

/** Backoff after a cluster refused the configurations, in milliseconds. */
const RETRY = { base: 1_000, max: 60_000 };
/** Deadline for the deletion of configurations from a cluster that left, in milliseconds. */
const REMOVAL_TIMEOUT = 30_000;

/**
 * Installs the webhooks and conversions of a server into every selected cluster, and keeps them as they should be: it
 * applies them when a cluster is engaged, when the CA bundle of the server changes, and after `checkInterval`. It deletes the
 * configurations when a cluster leaves the fleet, or is no longer selected. Failures are per cluster, are retried, and are
 * shown in the fleet status. The leader does this, or with sharding the owner of each cluster. Every replica serves.
 *
 * Register all webhooks before, and before the manager starts.
 *
 * @throws {TypeError} if an option is missing, unknown or invalid; the message names it.
 * @throws {TypeError} if no webhook and no conversion is registered.
 */
export async function installWebhooks(
  manager: Manager,
  server: WebhookServer,
  options: InstallWebhooksOptions,
): Promise<void> {
  const parsed: ParsedInstallOptions = {
    ...parseOptions('installWebhooks', installWebhooksSchema, options, "{ name: 'carts.example.com', url: ... }"),
    // Checked above. A Service can be called by the local cluster only.
    clusters: options.service ? { local: true, provider: false } : (options.clusters ?? {}),
  };
  if (selectedOrigins(parsed.clusters, manager).provider && parsed.failurePolicy === undefined) {
    throw new TypeError(
      'installWebhooks: option "failurePolicy": choose "Fail" or "Ignore": with "Fail", an outage of the webhook server blocks writes in every cluster',
    );
  }
  const registered = [...server.webhooks, ...server.conversions];
  if (registered.length === 0) {
    throw new TypeError('installWebhooks: the server has no webhooks: call webhooks.register before installWebhooks');
  }
  for (const { kind } of registered) checkInstallable(kind);
  manager.permissions.require(sourceOf(parsed), installationPermissions(parsed, manager, server));
  const installation = new Installation(manager, server, parsed);
  if (parsed.caBundle === undefined) server.distributeCaBundle(installation);
  await manager.add(installation.upkeep);
}

/** Name of an installation in the fleet status. */
function sourceOf({ name }: ParsedInstallOptions): string {
  return `webhooks ${name}`;
}

/** The configurations of one server in all clusters. */
class Installation implements CaBundleConsumer {
  readonly upkeep: ClusterUpkeep;
  readonly #manager: Manager;
  readonly #server: WebhookServer;
  readonly #options: ParsedInstallOptions;
  /** The CA bundle that each cluster has. */
  readonly #caBundles = new WeakMap<Cluster, string | undefined>();

  constructor(manager: Manager, server: WebhookServer, options: ParsedInstallOptions) {
    this.#manager = manager;
    this.#server = server;
    this.#options = options;
    this.upkeep = createClusterUpkeep({
      manager,
      description: `the installation of the webhooks ${options.name}`,
      controller: 'webhooks',
      parts: [sourceOf(options)],
      failureMessage: 'failed to install webhooks, retrying',
      // With sharding, clusters are engaged with their owner only.
      group: manager.slots ? 'other' : 'leader-elected',
      engageLocal: selectedOrigins(options.clusters, manager).local,
      isSelected: clusterFilterOf(options.clusters, manager),
      retry: RETRY,
      checkInterval: options.checkInterval,
      reconcile: (task) => this.#reconcile(task),
      leaveDelay: options.removalDelay,
      onLeft: (name, cluster, signal) => this.#onLeft(name, cluster, signal),
    });
  }

  caBundleChanged(): void {
    this.upkeep.runNow();
  }

  hasOther(caBundle: string): boolean {
    return [...this.upkeep.clusters.values()].some((cluster) => this.#caBundles.get(cluster) !== caBundle);
  }

  async #reconcile(task: UpkeepTask): Promise<void> {
    const { name, cluster, signal } = task;
    const { url, service, failurePolicy, excludedNamespaces, name: configuration } = this.#options;
    const source = sourceOf(this.#options);
    try {
      const caBundle = this.#options.caBundle ?? (await orAborted(this.#server.caBundle(), signal));
      const input = { url, service, failurePolicy, excludedNamespaces, cluster: name, caBundle };
      const { client, apiReader: reader } = cluster;
      const owner = ownerOf(this.#options);
      await applyWebhooks({ client, reader, name: configuration, owner, server: this.#server, input, signal });
      this.#caBundles.set(cluster, caBundle);
      task.report(source);
    } catch (error) {
      if (error instanceof DefinitionMissingError) task.wait(source, error);
      else task.report(source, error as Error);
    }
  }

  /** Deletes the configurations of a cluster that has left the fleet or the selection, unless it was handed over. */
  async #onLeft(name: ClusterName, cluster: Cluster, stopping: AbortSignal): Promise<void> {
    const { logger, slots, ownership, fleet } = this.#manager;
    // The local cluster never leaves. Its configurations stay when another replica owns it.
    if (name === LOCAL_CLUSTER) return;
    // The next owner was never engaged with a cluster that left before the handover.
    const hasLeft = fleet.get(name)?.phase === 'Disengaged';
    if (slots && ownership?.stateOf(name) !== 'active' && !hasLeft) return;
    // The client of the cluster has stopped with it. Its credentials may still be valid.
    const client = createClient(cluster.config);
    try {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(REMOVAL_TIMEOUT)]);
      const { name: configuration } = this.#options;
      await removeInstalled({ client, name: configuration, owner: ownerOf(this.#options), signal });
      logger.info('removed the webhooks of a cluster that left the fleet', { cluster: name });
    } catch (error) {
      logger.warn('failed to remove the webhooks of a cluster that left the fleet', { cluster: name, error });
    } finally {
      await client[Symbol.asyncDispose]();
    }
  }
}
