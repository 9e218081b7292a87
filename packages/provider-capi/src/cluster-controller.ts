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
import * as z from 'zod';
import type { ActuatedCluster, ActuatorContext, ClusterActuator } from './actuator.ts';
import { clusterApi } from './cluster-api.ts';
import type { ClusterStatus } from './cluster-resource.ts';
import { ClusterResource } from './cluster-resource.ts';
import { KUBECONFIG_KEY, kubeconfigSecretName } from './kubeconfig-secret.ts';

/** Finalizer of every Cluster that an actuator manages, until the cluster was deleted. */
export const CLUSTER_FINALIZER = 'cluster.cluster.k8s.io';

/** Interval at which an unfinished deletion is continued, in milliseconds. */
const DELETE_INTERVAL = 5_000;

export interface ClusterControllerOptions {
  /** Name of the controller. Unique in its manager. Default: `cluster-actuator`. */
  readonly name?: string;
  /** Only Clusters of this namespace. Default: of all. */
  readonly namespace?: string;
  /** Only Clusters whose labels match. Default: all. */
  readonly labelSelector?: string;
  /** Interval at which every Cluster is reconciled without a change, in milliseconds. Default: 600,000. */
  readonly resync?: number;
  /** Maximum number of concurrent reconciles. Default: 4. */
  readonly maxConcurrentReconciles?: number;
}

/** Passes deletions, because not every API server increments the generation for them. */
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

/** Schema of an {@link ActuatedCluster}. */
const actuatedSchema = z.object({
  apiEndpoints: z.array(z.object({ host: z.string().min(1), port: z.int().min(1).max(65_535) })),
  kubeconfig: z.string().optional(),
  providerStatus: z.record(z.string(), z.unknown()).optional(),
});

const NO_ERROR = { errorReason: undefined, errorMessage: undefined };

/**
 * Creates a controller that creates and deletes clusters with `actuator`, as the {@link ClusterResource}s in the manager's
 * local cluster describe them.
 *
 * The controller adds the finalizer to a Cluster, calls `actuator.reconcile`, and writes the result to the status and to the
 * Secret with the kubeconfig. When the Cluster is deleted, it calls `actuator.delete` until that returns `true`, and then
 * removes the finalizer. The status shows an error until the next success. (Upstream: the cluster controller of the first
 * Cluster API.)
 *
 * @throws {TypeError} if an option is unknown or invalid; the message names it.
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
  /** Interval in milliseconds. */
  readonly resync: number;
  /** Whether this actuator manages the Cluster, by its labels. */
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
    // A live read: the cache may not have the finalizer that was just added.
    const cluster = await hub.apiReader.find(ClusterResource, request, { signal });
    if (!cluster || !this.#isSelected(cluster)) return;
    if (cluster.metadata.deletionTimestamp !== undefined) return this.#delete(cluster, client, context);
    const held = await this.#addFinalizer(cluster, client, signal);
    const observed = await this.#attempt(held, context, async () => {
      const actuated = await this.#actuator.reconcile(held, context);
      return actuated ? this.#apply(held, checked(actuated), context) : {};
    });
    await this.#setStatus(held, { ...observed, ...NO_ERROR }, context);
    return { requeueAfter: this.#resync };
  }

  /** Adds the finalizer, which keeps the Cluster until its cluster was deleted. */
  async #addFinalizer(
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
    const isGone = await this.#attempt(cluster, context, () => this.#actuator.delete(cluster, context));
    await this.#setStatus(cluster, NO_ERROR, context);
    if (!isGone) return { requeueAfter: DELETE_INTERVAL };
    const latest = await context.hub.apiReader.find(ClusterResource, cluster.metadata, { signal });
    // If the Cluster was recreated, the finalizer belongs to the new one.
    if (latest?.metadata.uid !== cluster.metadata.uid) return;
    const draft = draftOf(latest);
    removeFinalizer(draft, CLUSTER_FINALIZER);
    await client.update(ClusterResource, draft, { signal });
    context.log.info('cluster removed');
  }

  /** Calls the actuator. Writes its error to the status, which has it until the next success. */
  async #attempt<T>(
    cluster: DeepReadonly<ClusterResource>,
    context: ActuatorContext,
    act: () => Promise<T>,
  ): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (context.signal.aborted) throw error;
      const failure = { errorReason: reasonOf(error, cluster), errorMessage: messageOf(error) };
      try {
        await this.#setStatus(cluster, failure, context);
      } catch (notWritten) {
        context.log.warn('failed to write the error to the status', { error: notWritten });
      }
      throw error;
    }
  }

  /**
   * Writes the Secret, before the status: the provider connects to a Cluster with an endpoint.
   *
   * @returns the fields of the status.
   */
  async #apply(
    cluster: DeepReadonly<ClusterResource>,
    { apiEndpoints, kubeconfig, providerStatus }: ActuatedCluster,
    { hub: { apiReader, client }, signal }: ActuatorContext,
  ): Promise<ClusterStatus> {
    const { namespace, name } = cluster.metadata;
    if (kubeconfig !== undefined) {
      const key = { ...(namespace && { namespace }), name: kubeconfigSecretName(name) };
      const { clusterNameLabel } = clusterApi(ClusterResource.apiVersion);
      // A live read: a cache would watch and store every Secret of the hub.
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
   * Merges `fields` into the status; `undefined` removes a field. Writes nothing if nothing changes.
   *
   * @throws {Error} if the Cluster was recreated under its name. API servers do not compare uids when a status is written.
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
      throw new Error(
        `object ${objectKeyText(metadata)} with uid ${metadata.uid} no longer exists: status not written`,
      );
    }
    const { resourceVersion } = latest.metadata;
    const patch = Object.fromEntries(changes.map(([field, value]) => [field, value ?? null]));
    await client.status.patch(ClusterResource, metadata, { metadata: { resourceVersion }, status: patch }, 'merge', {
      signal,
    });
  }
}

/** @throws {TypeError} if the actuator's result is invalid; the message names the field. */
function checked(actuated: ActuatedCluster): ActuatedCluster {
  const { error } = actuatedSchema.safeParse(actuated);
  if (error) throw new TypeError(`invalid result of the actuator: ${z.prettifyError(error)}`);
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
