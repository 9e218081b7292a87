import { Namespace } from '@mcr/client';
import type { Cluster } from '../cluster/cluster.ts';

/** Deadline for reading the identity of one cluster, in milliseconds. */
const TIMEOUT = 5_000;

/**
 * Whether two connections lead to the same cluster, by the UID of its `kube-system` namespace (KEP-2149). Returns
 * `false` also if a UID cannot be read.
 */
export async function isSameCluster(a: Cluster, b: Cluster, signal: AbortSignal): Promise<boolean> {
  const [uidA, uidB] = await Promise.all([identityOf(a, signal), identityOf(b, signal)]);
  return uidA !== undefined && uidA === uidB;
}

async function identityOf(cluster: Cluster, signal: AbortSignal): Promise<string | undefined> {
  try {
    const namespace = await cluster.apiReader.get(Namespace, { name: 'kube-system' }, { signal, timeout: TIMEOUT });
    return namespace.metadata.uid;
  } catch {
    return undefined;
  }
}
