import type { ApiClient, ClusterConfig, DeepReadonly, Kind, KubernetesObject } from '@mcr/core';
import {
  ClusterRole,
  ClusterRoleBinding,
  CustomResourceDefinition,
  EventsV1Event,
  isForbidden,
  isNotFound,
  Namespace,
} from '@mcr/core';
import { until } from '../until.ts';
import { namespacesRemoved } from './namespace-removal.ts';
import { RUN_LABEL, runIdOf } from './run.ts';

/**
 * Kinds that scenarios create outside of their namespaces; bindings first, so that no account keeps permissions
 * meanwhile.
 */
const CLUSTER_SCOPED: readonly Kind<KubernetesObject>[] = [
  ClusterRoleBinding,
  ClusterRole,
  CustomResourceDefinition,
  Namespace,
];

/** How long an API server may take to delete custom resources, in milliseconds. */
const DELETION = 120_000;

export interface SweepOptions {
  /** Whether the objects of a run are to be deleted. Default: those of every run. */
  readonly isOurs?: (runId: string) => boolean;
}

/** An object of a run that was deleted. */
export interface SweptObject {
  readonly kind: string;
  readonly name: string;
}

/**
 * Deletes the namespaces and cluster-scoped objects that scenarios left in a cluster. Namespaces may still be terminating
 * afterwards: see `namespacesRemoved`.
 */
export async function sweep(client: ApiClient, { isOurs = () => true }: SweepOptions = {}): Promise<SweptObject[]> {
  const found: { readonly kind: Kind<KubernetesObject>; readonly name: string }[] = [];
  for (const kind of CLUSTER_SCOPED) {
    const { items } = await client.list(kind, { labelSelector: RUN_LABEL });
    for (const { metadata } of items) {
      const runId = metadata.labels?.[RUN_LABEL] ?? '';
      // A namespace is deleted with all of its content: it must have both the label and the name of a run.
      if (kind === Namespace && runIdOf(metadata.name) !== runId) continue;
      if (isOurs(runId)) found.push({ kind, name: metadata.name });
    }
  }
  for (const { kind, name } of found) await ignoring(isNotFound, client.delete(kind, { name }));
  await sweepEvents(client, isOurs);
  for (const { kind, name } of found) {
    if (kind === Namespace) continue;
    await until(async () => (await client.find(kind, { name })) === undefined, { within: DELETION });
  }
  return found.map(({ kind, name }) => ({ kind: kind.kind, name }));
}

/**
 * Like {@link sweep}, and resolves once the namespaces are gone too.
 *
 * @throws {Error} that names what holds a namespace.
 */
export async function sweepCompletely(
  cluster: { readonly client: ApiClient; readonly config: ClusterConfig },
  options: SweepOptions = {},
): Promise<SweptObject[]> {
  const swept = await sweep(cluster.client, options);
  const namespaces = swept.filter(({ kind }) => kind === Namespace.kind).map(({ name }) => name);
  await namespacesRemoved(cluster, namespaces);
  return swept;
}

/** Events about cluster-scoped objects are in the namespace `default`. */
async function sweepEvents(client: ApiClient, isOurs: NonNullable<SweepOptions['isOurs']>): Promise<void> {
  const { items } = await client.list(EventsV1Event, { namespace: 'default' });
  const isAboutOurs = ({ regarding }: DeepReadonly<EventsV1Event>): boolean => {
    const runId = runIdOf(regarding?.name ?? '');
    return runId !== undefined && isOurs(runId);
  };
  for (const { metadata } of items.filter(isAboutOurs)) {
    const { name } = metadata;
    const ignorable = (error: unknown) => isNotFound(error) || isForbidden(error);
    await ignoring(ignorable, client.delete(EventsV1Event, { namespace: 'default', name }));
  }
}

async function ignoring(isIgnored: (error: unknown) => boolean, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isIgnored(error)) throw error;
  }
}
