import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ApiClient, ClusterConfig, Kind, KubernetesObject } from '@mcr/core';
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  createClient,
  CustomResourceDefinition,
  isKubeconfigError,
  Lease,
  Namespace,
  parseKubeconfigContexts,
  Role,
  RoleBinding,
  Secret,
  ServiceAccount,
} from '@mcr/core';
import type { RunningCluster } from '../backend/run.ts';
import { UsageError } from './arguments.ts';

/** A cluster that exists, with an administrator's client. */
export interface ExistingCluster extends RunningCluster {
  readonly client: ApiClient;
  readonly config: ClusterConfig;
}

/** Kinds whose objects a run must leave unchanged in a cluster. */
const INVENTORY: readonly Kind<KubernetesObject>[] = [
  Namespace,
  CustomResourceDefinition,
  ClusterRole,
  ClusterRoleBinding,
  Secret,
  ServiceAccount,
  ConfigMap,
  Role,
  RoleBinding,
  Lease,
];

/**
 * Opens the contexts of kubeconfig files, in their order.
 *
 * @param most maximum number of contexts; further ones are not used.
 * @throws {UsageError} that names the file or context that cannot be used.
 */
export async function openExisting(
  files: readonly string[],
  { most, stack }: { readonly most: number; readonly stack: AsyncDisposableStack },
): Promise<ExistingCluster[]> {
  const contexts: Omit<ExistingCluster, 'client'>[] = [];
  for (const file of files) {
    const path = resolve(process.env['INIT_CWD'] ?? '.', file);
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      throw new UsageError(`--existing ${file}: cannot be read: ${(error as Error).message}`);
    });
    for (const [context, config] of parseKubeconfigContexts(text, { policy: 'trusted', path })) {
      if (isKubeconfigError(config)) throw new UsageError(`--existing ${file}: ${config.message}`);
      contexts.push({ path, context, config });
    }
  }
  if (contexts.length === 0) throw new UsageError(`--existing ${files.join(' ')}: no contexts found`);

  const identities = new Map<string, string>();
  const clusters: ExistingCluster[] = [];
  for (const { path, context, config } of contexts.slice(0, most)) {
    refuseUnportable(context, config);
    const client = stack.use(createClient(config));
    const { metadata } = await client.get(Namespace, { name: 'kube-system' });
    const same = identities.get(metadata.uid);
    if (same !== undefined) {
      throw new UsageError(`contexts ${same} and ${context} reach the same cluster: give every cluster once`);
    }
    identities.set(metadata.uid, context);
    clusters.push({ path, context, client, config });
  }
  return clusters;
}

/** Scenarios write kubeconfig Secrets for these clusters, which must work without files and proxies of this machine. */
function refuseUnportable(context: string, { tls, proxyUrl }: ClusterConfig): void {
  if (tls?.insecureSkipVerify) throw new UsageError(`context ${context}: insecure-skip-tls-verify is not supported`);
  if (proxyUrl !== undefined) throw new UsageError(`context ${context}: proxy-url is not supported`);
}

/** Names of the CustomResourceDefinitions of a cluster. */
export async function definitionsOf({ client }: ExistingCluster): Promise<string[]> {
  const { items } = await client.list(CustomResourceDefinition);
  return items.map(({ metadata }) => metadata.name);
}

/** Everything that a run must leave as is, as `Secret fleet/eu-1`. */
export async function inventoryOf({ client }: ExistingCluster): Promise<Set<string>> {
  const lists = await Promise.all(
    INVENTORY.map(async (kind) => {
      const { items } = await client.list(kind);
      return items.map(
        ({ metadata: { namespace, name } }) => `${kind.kind} ${namespace ? `${namespace}/` : ''}${name}`,
      );
    }),
  );
  return new Set(lists.flat());
}
