import { type ClusterConfig, createClient, type DeepReadonly, Lease } from '@mcr/core';

/** Maximum number of Leases of a program that are looked at. */
const LIMIT = 1_000;

/**
 * Releases the Leases of a replica that has ended, as it does itself unless it crashes or is killed. Otherwise, its next process
 * would wait until they expire.
 *
 * @param pod `POD_NAME` of the replica.
 */
export async function releaseLeases(
  hub: ClusterConfig,
  { namespace, pod, signal }: { readonly namespace: string; readonly pod: string; readonly signal: AbortSignal },
): Promise<void> {
  await using client = createClient(hub);
  const { items } = await client.list(Lease, { namespace, limit: LIMIT, signal });
  const held = items.filter((lease) => isHeldBy(pod, lease));
  await Promise.all(
    held.map(({ metadata: { name, resourceVersion } }) =>
      client.patch(
        Lease,
        { namespace, name },
        { metadata: { resourceVersion }, spec: { holderIdentity: '' } },
        'merge',
        { signal },
      ),
    ),
  );
}

/** Leases of leader election name `<pod>_<random>`; those of shards, `<group>-<member>`, name the member, `<pod>-<random>`. */
function isHeldBy(pod: string, { metadata, spec }: DeepReadonly<Lease>): boolean {
  const holder = spec?.holderIdentity ?? '';
  return holder.startsWith(`${pod}_`) || (holder.startsWith(`${pod}-`) && metadata.name.endsWith(`-${holder}`));
}
