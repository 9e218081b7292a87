import type { DeepReadonly, Manager, Request } from '@mcr/core';
import {
  ConfigMap,
  controllerManagedBy,
  createOrUpdate,
  enqueueMapped,
  enqueueMappedPreservingCluster,
  Namespace,
  TerminalError,
} from '@mcr/core';

/** On a ConfigMap of the hub, with the value `members`: it is to be copied. */
export const SYNC = 'example.mcr.dev/sync';
/** On a copy in a member, with the value `hub`. */
export const SYNCED_FROM = 'example.mcr.dev/synced-from';

/** Keeps, in every member, copies of the ConfigMaps of the hub that carry {@link SYNC}. A request names a copy. */
export async function addSyncController(manager: Manager): Promise<void> {
  const { client: hub } = manager.localManager.cluster;

  // Mappings see the old object of an update, too: one that has just lost its label still counts.
  const copiesOf = ({ metadata: { namespace = '', name, labels } }: DeepReadonly<ConfigMap>): Request[] => {
    const members = labels?.[SYNC] === 'members' ? manager.provider?.clusterNames?.() : [];
    return (members ?? []).map((clusterName) => ({ clusterName, namespace, name }));
  };

  await controllerManagedBy(manager)
    .named('sync')
    // What changes in the hub concerns all members,
    .watches(ConfigMap, enqueueMappedPreservingCluster(copiesOf), { engage: { local: true, provider: false } })
    // a copy that changes in a member only that one,
    .watches(
      ConfigMap,
      enqueueMapped(({ metadata }) => (metadata.labels?.[SYNCED_FROM] === 'hub' ? [metadata] : [])),
    )
    // and a namespace that appears in a member, all those of a new member among them, every copy that belongs there.
    .watches(
      Namespace,
      enqueueMappedPreservingCluster<Namespace>(async ({ metadata: { name: namespace } }, { clusterName }) => {
        const { items } = await hub.list(ConfigMap, { namespace, labelSelector: `${SYNC}=members` });
        return items.map(({ metadata: { name } }) => ({ clusterName, namespace, name }));
      }),
    )
    .complete(async (request, { cluster, log, signal }) => {
      const { client: member } = await cluster();
      const [original, copy] = await Promise.all([hub.find(ConfigMap, request), member.find(ConfigMap, request)]);
      if (copy && copy.metadata.labels?.[SYNCED_FROM] !== 'hub') {
        throw new TerminalError('the member has a ConfigMap of this name that is no copy: rename one of the two');
      }
      if (original?.metadata.labels?.[SYNC] !== 'members') {
        if (!copy) return;
        await member.delete(ConfigMap, request, { preconditions: { uid: copy.metadata.uid }, signal });
        log.info('copy deleted');
        return;
      }
      const { result } = await createOrUpdate(
        member,
        ConfigMap,
        request,
        (configMap) => {
          configMap.metadata.labels = { ...configMap.metadata.labels, [SYNCED_FROM]: 'hub' };
          configMap.data = { ...original.data };
        },
        { signal },
      );
      if (result !== 'unchanged') log.info('copied', { result });
    });
}
