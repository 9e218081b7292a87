import type { Client, Controller, DeepReadonly, Manager, ReconcileContext, ReconcileRequest, Result } from '@mcr/core';
import {
  addFinalizer,
  containsFinalizer,
  controllerManagedBy,
  createOrUpdate,
  draftOf,
  removeFinalizer,
  Secret,
  setControllerReference,
  predicates,
} from '@mcr/core';
import {
  labelSelectorSchema,
  namespaceSchema,
  parseOptions,
  positiveMilliseconds,
  matchesLabels,
  objectKeyText,
  parseLabelSelector,
  shortened,
} from '@mcr/core/provider';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { ActuatedCluster, ActuatorContext, ClusterActuator } from './actuator.ts';
import { clusterApi } from './cluster-api.ts';
import type { ClusterStatus } from './cluster-resource.ts';
import { ClusterResource } from './cluster-resource.ts';
import { KUBECONFIG_KEY, kubeconfigSecretName } from './kubeconfig-secret.ts';

/** On every Cluster that an actuator has to do with, until it is removed. */
export const CLUSTER_FINALIZER = 'cluster.cluster.k8s.io';

/** An actuator that is not done with a removal is called again after this long, in milliseconds. */
const UNTIL_REMOVED = 5_000;

export interface ClusterControllerOptions {
  /** Name of the controller, one of a kind in its manager. Default: `cluster-actuator`. */
  readonly name?: string;
  /** Only Clusters of this namespace. Default: of all. */
  readonly namespace?: string;
  /** Only Clusters whose labels match. Default: all. */
  readonly labelSelector?: string;
  /** How often every Cluster is reconciled in any case, in milliseconds. Default: 600,000. */
  readonly resync?: number;
  /** How many Clusters are worked on at once. Default: 4. */
  readonly maxConcurrentReconciles?: number;
}

/** Not every API server counts a deletion as a change of the generation. */
const deletionBegan = predicates.funcs<ClusterResource>({
  update: ({ oldObject, object }) => oldObject.metadata.deletionTimestamp !== object.metadata.deletionTimestamp,
});

const schema = z.strictObject({
  name: z.string().min(1).optional(),
  namespace: namespaceSchema.optional(),
  labelSelector: labelSelectorSchema.min(1, 'expected a label selector').optional(),
  resync: positiveMilliseconds.optional(),
  maxConcurrentReconciles: z.int().positive().optional(),
});

/** What is read of an {@link ActuatedCluster}. */
const answerSchema = z.object({
  apiEndpoints: z.array(z.object({ host: z.string().min(1), port: z.int().min(1).max(65_535) })),
  kubeconfig: z.string().optional(),
  providerStatus: z.record(z.string(), z.unknown()).optional(),
});

const NO_ERROR = { errorReason: undefined, errorMessage: undefined };

/**
 * Has `actuator` make and remove the clusters that the {@link ClusterResource}s of the manager's local cluster describe.
 *
 * A Cluster gets the finalizer first; then `actuator.reconcile` is called, and what it answers is put into the status and
 * the Secret with the kubeconfig. When the Cluster is deleted, `actuator.delete` is called until it answers `true`; then the
 * finalizer goes. An error stands in the status until the next success. (Upstream: the cluster controller of the first Cluster API.)
 *
 * @throws {TypeError} that names the option, when one is unknown or wrong.
 */
export async function createClusterController(
  manager: Manager,
  actuator: ClusterActuator,
  options: ClusterControllerOptions = {},
): Promise<Controller> {
  parseOptions('createClusterController', schema, options);
  const {
    name = 'cluster-actuator',
    namespace,
    labelSelector,
    resync = 600_000,
    maxConcurrentReconciles = 4,
  } = options;
  const selector = parseLabelSelector(labelSelector ?? '');
  const reconciler = new ClusterReconciler({
    manager,
    actuator,
    resync,
    isSelected: ({ metadata }) => matchesLabels(selector, metadata.labels),
  });
  return controllerManagedBy(manager)
    .named(name)
    .for(ClusterResource, {
      predicates: [predicates.or(predicates.generationChanged, deletionBegan)],
      engage: { local: true, provider: false },
      ...(namespace && { namespaces: [namespace] }),
      ...(labelSelector && { labelSelector }),
    })
    .withOptions({ maxConcurrentReconciles })
    .build((request, context) => reconciler.reconcile(request, context));
}

interface ReconcilerParts {
  readonly manager: Manager;
  readonly actuator: ClusterActuator;
  /** Milliseconds. */
  readonly resync: number;
  /** A Cluster that lost its labels is another actuator's. */
  readonly isSelected: (cluster: DeepReadonly<ClusterResource>) => boolean;
}

class ClusterReconciler {
  readonly #manager: Manager;
  readonly #actuator: ClusterActuator;
  readonly #resync: number;
  readonly #isSelected: ReconcilerParts['isSelected'];

  constructor({ manager, actuator, resync, isSelected }: ReconcilerParts) {
    this.#manager = manager;
    this.#actuator = actuator;
    this.#resync = resync;
    this.#isSelected = isSelected;
  }

  async reconcile(request: ReconcileRequest, { signal, log }: ReconcileContext): Promise<Result | void> {
    const { cluster: hub } = this.#manager.localManager;
    const { client } = hub;
    const context: ActuatorContext = { signal, log, hub };
    // As it is now: a finalizer that was added just before must not look as if it were missing.
    const cluster = await hub.apiReader.find(ClusterResource, request, { signal });
    if (!cluster || !this.#isSelected(cluster)) return;
    if (cluster.metadata.deletionTimestamp !== undefined) return this.#delete(cluster, client, context);
    const held = await this.#hold(cluster, client, signal);
    const observed = await this.#tried(held, context, async () => {
      const actuated = await this.#actuator.reconcile(held, context);
      return actuated ? this.#take(held, checked(actuated), context) : {};
    });
    await this.#setStatus(held, { ...observed, ...NO_ERROR }, context);
    return { requeueAfter: this.#resync };
  }

  /** From now on the Cluster is not gone before its cluster is. */
  async #hold(
    cluster: DeepReadonly<ClusterResource>,
    client: Client,
    signal: AbortSignal,
  ): Promise<DeepReadonly<ClusterResource>> {
    const draft = draftOf(cluster);
    return addFinalizer(draft, CLUSTER_FINALIZER) ? client.update(ClusterResource, draft, { signal }) : cluster;
  }

  async #delete(
    cluster: DeepReadonly<ClusterResource>,
    client: Client,
    context: ActuatorContext,
  ): Promise<Result | void> {
    if (!containsFinalizer(cluster, CLUSTER_FINALIZER)) return;
    const { signal } = context;
    const isGone = await this.#tried(cluster, context, () => this.#actuator.delete(cluster, context));
    await this.#setStatus(cluster, NO_ERROR, context);
    if (!isGone) return { requeueAfter: UNTIL_REMOVED };
    const latest = await context.hub.apiReader.find(ClusterResource, cluster.metadata, { signal });
    // Another Cluster of the name may have come: its finalizer is not for this one to remove.
    if (latest?.metadata.uid !== cluster.metadata.uid) return;
    const draft = draftOf(latest);
    removeFinalizer(draft, CLUSTER_FINALIZER);
    await client.update(ClusterResource, draft, { signal });
    context.log.info('cluster removed');
  }

  /** Has the actuator act. What it throws stands in the status, until it succeeds. */
  async #tried<T>(cluster: DeepReadonly<ClusterResource>, context: ActuatorContext, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (context.signal.aborted) throw error;
      const failure = { errorReason: reasonOf(error, cluster), errorMessage: messageOf(error) };
      try {
        await this.#setStatus(cluster, failure, context);
      } catch (notWritten) {
        context.log.warn('what failed does not stand in the status', { error: notWritten });
      }
      throw error;
    }
  }

  /**
   * Writes the Secret: a Cluster with an endpoint is connected to.
   *
   * @returns what is to stand in the status.
   */
  async #take(
    cluster: DeepReadonly<ClusterResource>,
    { apiEndpoints, kubeconfig, providerStatus }: ActuatedCluster,
    { hub: { apiReader, client }, signal }: ActuatorContext,
  ): Promise<ClusterStatus> {
    const { namespace, name } = cluster.metadata;
    if (kubeconfig !== undefined) {
      const key = { ...(namespace && { namespace }), name: kubeconfigSecretName(name) };
      const { clusterNameLabel } = clusterApi(ClusterResource.apiVersion);
      // Read as it is: a cache would watch, and may hold, every Secret of the hub.
      const live: Pick<Client, 'find' | 'create' | 'update'> = {
        find: (kind, at, options) => apiReader.find(kind, at, options),
        create: (kind, secret, options) => client.create(kind, secret, options),
        update: (kind, secret, options) => client.update(kind, secret, options),
      };
      await createOrUpdate(
        live,
        Secret,
        key,
        (secret) => {
          secret.metadata.labels = { ...secret.metadata.labels, [clusterNameLabel]: name };
          secret.data = { ...secret.data, [KUBECONFIG_KEY]: Buffer.from(kubeconfig).toString('base64') };
          setControllerReference(cluster, secret);
        },
        { signal },
      );
    }
    return {
      apiEndpoints: apiEndpoints.map(({ host, port }) => ({ host, port })),
      ...(providerStatus && { providerStatus: { ...providerStatus } }),
    };
  }

  /**
   * Merges `fields` into the status; `undefined` removes one. Writes nothing when that changes nothing.
   *
   * @throws {Error} when another Cluster has come under the name: it is not written to. The API server compares versions,
   * but no uids, where only a status is written.
   */
  async #setStatus(
    { metadata, status = {} }: DeepReadonly<ClusterResource>,
    fields: { readonly [Field in keyof ClusterStatus]: ClusterStatus[Field] | undefined },
    { hub: { apiReader, client }, signal }: ActuatorContext,
  ): Promise<void> {
    const changes = Object.entries(fields).filter(
      ([field, value]) => !isDeepStrictEqual(status[field as keyof ClusterStatus], value),
    );
    if (changes.length === 0) return;
    const latest = await apiReader.find(ClusterResource, metadata, { signal });
    if (latest?.metadata.uid !== metadata.uid) {
      throw new Error(`Cluster ${objectKeyText(metadata)} with the uid ${metadata.uid} is no more: nothing is written`);
    }
    const { resourceVersion } = latest.metadata;
    const patch = Object.fromEntries(changes.map(([field, value]) => [field, value ?? null]));
    await client.status.patch(ClusterResource, metadata, { metadata: { resourceVersion }, status: patch }, 'merge', {
      signal,
    });
  }
}

/** @throws {TypeError} that names the field of the actuator's answer that cannot be used. */
function checked(actuated: ActuatedCluster): ActuatedCluster {
  const { error } = answerSchema.safeParse(actuated);
  if (error) throw new TypeError(`what the actuator answered cannot be used: ${z.prettifyError(error)}`);
  return actuated;
}

function reasonOf(error: unknown, { metadata, status }: DeepReadonly<ClusterResource>): string {
  if (
    typeof error === 'object' &&
    error !== null &&
    'reason' in error &&
    typeof error.reason === 'string' &&
    error.reason
  ) {
    return error.reason;
  }
  if (metadata.deletionTimestamp !== undefined) return 'DeleteError';
  return status?.apiEndpoints?.length ? 'UpdateError' : 'CreateError';
}

function messageOf(error: unknown): string {
  return shortened(error instanceof Error ? error.message : String(error));
}
