import type { DeepReadonly, Manager, ReconcileRequest } from '@mcr/core';
import {
  ConfigMap,
  controllerManagedBy,
  createOrUpdate,
  enqueueMapped,
  enqueueMappedPreservingCluster,
  Namespace,
  TerminalError,
} from '@mcr/core';

/** Label of a ConfigMap in the hub; with the value `members`, it is copied. */
export const SYNC = 'example.mcr.dev/sync';
/** Label of a copy in a member, with the value `hub`. */
export const SYNCED_FROM = 'example.mcr.dev/synced-from';

/** Copies the ConfigMaps of the hub with the label {@link SYNC} to every member. A request names a copy. */
export async function addSyncController(manager: Manager): Promise<void> {
  const { client: hub } = manager.localManager.cluster;

  // Map functions also receive the old object of an update, so copies are deleted when the label is removed.
  const copiesOf = ({ metadata: { namespace = '', name, labels } }: DeepReadonly<ConfigMap>): ReconcileRequest[] => {
    const members = labels?.[SYNC] === 'members' ? manager.provider?.clusterNames?.() : [];
    return (members ?? []).map((clusterName) => ({ clusterName, namespace, name }));
  };

  await controllerManagedBy(manager)
    .named('sync')
    // A change in the hub concerns all members.
    .watches(ConfigMap, enqueueMappedPreservingCluster(copiesOf), { engage: { local: true, provider: false } })
    // A changed copy concerns only its member.
    .watches(
      ConfigMap,
      enqueueMapped(({ metadata }) => (metadata.labels?.[SYNCED_FROM] === 'hub' ? [metadata] : [])),
    )
    // A new namespace, also each one of a new member, needs all copies that belong to it.
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
        throw new TerminalError('the member has a ConfigMap of this name that is not a copy: rename one of the two');
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
