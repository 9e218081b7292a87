import type { CallOptions, Reader } from '@mcr/client';
import { Namespace } from '@mcr/client';

/** Deadline for reading the identity, in milliseconds. */
const TIMEOUT = 10_000;

/** Identities that were read. They never change. */
const identities = new WeakMap<object, string>();

/**
 * Returns the identity of a hub: the uid of its namespace `kube-system` (KEP-2149), which no other cluster has. It is read
 * once for each cluster, with the permission to get this namespace.
 *
 * @param options.timeout deadline in milliseconds. Default: 10,000.
 * @throws the error of the API server or the connection. A later call tries again.
 */
export async function fleetHubId(
  { apiReader }: { readonly apiReader: Reader },
  options: Pick<CallOptions, 'signal' | 'timeout'> = {},
): Promise<string> {
  const known = identities.get(apiReader);
  if (known !== undefined) return known;
  const { metadata } = await apiReader.get(Namespace, { name: 'kube-system' }, { timeout: TIMEOUT, ...options });
  identities.set(apiReader, metadata.uid);
  return metadata.uid;
}
