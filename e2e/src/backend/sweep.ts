import type { ApiClient, DeepReadonly, Kind, KubernetesObject } from '@mcr/core';
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  CustomResourceDefinition,
  Event,
  isForbidden,
  isNotFound,
  Lease,
  Namespace,
  Role,
  RoleBinding,
  Secret,
  ServiceAccount,
} from '@mcr/core';
import { until } from '../until.ts';
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

/**
 * Kinds that scenarios create in their namespaces. Deleted before the namespaces, because an API server without a namespace
 * controller keeps the content of a namespace.
 */
const NAMESPACED: readonly Kind<KubernetesObject>[] = [
  RoleBinding,
  Role,
  Lease,
  ConfigMap,
  Secret,
  ServiceAccount,
  Event,
];

/** How long an API server may take to delete the content of namespaces and custom resources, in milliseconds. */
const DELETION = 120_000;

export interface SweepOptions {
  /** Whether the objects of a run are to be deleted. Default: those of every run. */
  readonly isOurs?: (runId: string) => boolean;
}

/**
 * Deletes the namespaces and cluster-scoped objects that scenarios left in a cluster.
 *
 * @returns what was deleted, as `Namespace mcr-e2e-...`.
 */
export async function sweep(client: ApiClient, { isOurs = () => true }: SweepOptions = {}): Promise<string[]> {
  const found: { readonly kind: Kind<KubernetesObject>; readonly name: string }[] = [];
  for (const kind of CLUSTER_SCOPED) {
    const { items } = await client.list(kind, { labelSelector: RUN_LABEL });
    for (const { metadata } of items) {
      const runId = metadata.labels?.[RUN_LABEL] ?? '';
      if (isOurs(runId)) found.push({ kind, name: metadata.name });
    }
  }
  const namespaces = found.filter(({ kind }) => kind.kind === 'Namespace').map(({ name }) => name);
  await sweepContents(client, namespaces);
  for (const { kind, name } of found) await ignoring(isNotFound, client.delete(kind, { name }));
  // Controllers that were stopping meanwhile may have written a last time.
  await sweepContents(client, namespaces);
  await sweepEvents(client, isOurs);
  for (const { kind, name } of found) {
    await until(async () => (await client.find(kind, { name })) === undefined, { within: DELETION });
  }
  return found.map(({ kind, name }) => `${kind.kind} ${name}`);
}

async function sweepContents(client: ApiClient, namespaces: readonly string[]): Promise<void> {
  for (const namespace of namespaces) {
    for (const kind of NAMESPACED) {
      await ignoring(isNotFound, client.deleteCollection(kind, { namespace }));
    }
  }
}

/** Events about cluster-scoped objects are in the namespace `default`. */
async function sweepEvents(client: ApiClient, isOurs: NonNullable<SweepOptions['isOurs']>): Promise<void> {
  const { items } = await client.list(Event, { namespace: 'default' });
  const isAboutOurs = ({ regarding }: DeepReadonly<Event>): boolean => {
    const runId = runIdOf(regarding?.name ?? '');
    return runId !== undefined && isOurs(runId);
  };
  for (const { metadata } of items.filter(isAboutOurs)) {
    const { name } = metadata;
    const ignorable = (error: unknown) => isNotFound(error) || isForbidden(error);
    await ignoring(ignorable, client.delete(Event, { namespace: 'default', name }));
  }
}

async function ignoring(isIgnored: (error: unknown) => boolean, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isIgnored(error)) throw error;
  }
}
