import { readFile } from 'node:fs/promises';
import type { ApiClient, ClusterConfig, Kind, KubernetesObject } from '@mcr/core';
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  createClient,
  CustomResourceDefinition,
  isApiError,
  isKubeconfigError,
  isTransportError,
  Lease,
  Namespace,
  Role,
  RoleBinding,
  Secret,
  ServiceAccount,
} from '@mcr/core';
import { parseKubeconfigContexts } from '@mcr/core/provider';
import type { RunningCluster } from '../backend/run.ts';
import { UsageError } from './arguments.ts';
import { pathOf } from './surroundings.ts';

/** A cluster that exists, with an administrator's client. */
export interface ExistingCluster extends RunningCluster {
  readonly client: ApiClient;
  readonly config: ClusterConfig;
}

/** How long a cluster may take to answer at the beginning, in milliseconds. */
const ANSWER = 15_000;

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
    const path = pathOf(file);
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === 'ENOENT' ? 'no such file, and no scenario of this name' : message;
      throw new UsageError(`--existing ${file}: ${reason}`);
    });
    for (const [context, config] of contextsOf(text, path)) contexts.push({ path, context, config });
  }
  if (contexts.length === 0) throw new UsageError(`--existing ${files.join(' ')}: no contexts found`);

  const identities = new Map<string, string>();
  const clusters: ExistingCluster[] = [];
  for (const { path, context, config } of contexts.slice(0, most)) {
    const name = `context ${context} of ${path}`;
    refuseUnportable(name, config);
    const client = stack.use(createClient(config));
    const uid = await identityOf(client, name);
    const same = identities.get(uid);
    if (same !== undefined) {
      throw new UsageError(`--existing: ${same} and ${name} reach the same cluster: give every cluster once`);
    }
    identities.set(uid, name);
    clusters.push({ path, context, client, config });
  }
  return clusters;
}

function contextsOf(text: string, path: string): [string, ClusterConfig][] {
  try {
    return [...parseKubeconfigContexts(text, { policy: 'trusted', path })].map(([context, config]) => {
      if (isKubeconfigError(config)) throw config;
      return [context, config];
    });
  } catch (error) {
    if (isKubeconfigError(error)) throw new UsageError(`--existing: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Returns a UID that no other cluster has. */
async function identityOf(client: ApiClient, name: string): Promise<string> {
  try {
    const { metadata } = await client.get(Namespace, { name: 'kube-system' }, { timeout: ANSWER });
    return metadata.uid;
  } catch (error) {
    if (!isTransportError(error) && !isApiError(error)) throw error;
    const message = `--existing: ${name} cannot be used: ${error.message}: start the cluster, or give another context`;
    throw new UsageError(message, { cause: error });
  }
}

/** Scenarios write kubeconfig Secrets for these clusters, which must work without files and proxies of this machine. */
function refuseUnportable(name: string, { tls, proxyUrl }: ClusterConfig): void {
  if (tls?.insecureSkipVerify) throw new UsageError(`--existing: ${name}: insecure-skip-tls-verify is not supported`);
  if (proxyUrl !== undefined) throw new UsageError(`--existing: ${name}: proxy-url is not supported`);
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
