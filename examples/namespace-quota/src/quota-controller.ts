import type { KubernetesObject, Manager, ReconcileFunction } from '@mcr/core';
import {
  controllerManagedBy,
  createOrUpdate,
  defineKind,
  EventsV1Event,
  Namespace,
  setControllerReference,
} from '@mcr/core';

/** Label of a namespace that names its team. */
export const TEAM = 'example.mcr.dev/team';
/** Name of the quota in each namespace of a team. */
export const QUOTA_NAME = 'team';
/** Limits of a team in one namespace. */
const HARD = { pods: '20', 'requests.cpu': '4', 'requests.memory': '8Gi' };

export interface ResourceQuota extends KubernetesObject {
  spec?: { hard?: Record<string, string> };
}
export const ResourceQuota = defineKind<ResourceQuota>({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  scope: 'Namespaced',
});

/** Keeps a quota in every namespace with the label {@link TEAM}, in each cluster of the manager. */
export async function addQuotaController(manager: Manager): Promise<void> {
  await controllerManagedBy(manager)
    .named('namespace-quota')
    .for(Namespace)
    .owns(ResourceQuota)
    .requires({ kind: ResourceQuota, verbs: ['create', 'update'] }, { kind: EventsV1Event, verbs: ['create', 'patch'] })
    .complete(reconcileQuota);
}

/** Sets the quota of one namespace. */
export const reconcileQuota: ReconcileFunction = async ({ name }, { cluster, log, signal }) => {
  const target = await cluster();
  const namespace = await target.client.find(Namespace, { name });
  const team = namespace?.metadata.labels?.[TEAM];
  if (!namespace || team === undefined || namespace.metadata.deletionTimestamp) return;

  const key = { namespace: name, name: QUOTA_NAME };
  const { result } = await createOrUpdate(
    target.client,
    ResourceQuota,
    key,
    (quota) => {
      quota.spec = { ...quota.spec, hard: HARD };
      // A cluster-scoped owner may own a namespaced object.
      setControllerReference(namespace, quota);
    },
    { signal },
  );
  if (result === 'unchanged') return;
  log.info('quota set', { team, result });
  const note = `the quota of team ${team} was ${result}`;
  target.eventRecorder('namespace-quota').event(namespace, { type: 'Normal', reason: 'QuotaSet', note });
};
