import type { KubernetesObject, Manager } from '@mcr/core';
import { controllerManagedBy, createOrUpdate, defineKind, Namespace, setControllerReference } from '@mcr/core';

/** On a namespace: the team that it belongs to. */
export const TEAM = 'example.mcr.dev/team';
/** The name of the quota in each such namespace. */
export const QUOTA_NAME = 'team';
/** What a team may use in one namespace. */
const HARD = { pods: '20', 'requests.cpu': '4', 'requests.memory': '8Gi' };

export interface ResourceQuota extends KubernetesObject {
  spec?: { hard?: Record<string, string> };
}
export const ResourceQuota = defineKind<ResourceQuota>({ apiVersion: 'v1', kind: 'ResourceQuota' });

/** Gives every namespace that carries {@link TEAM} a quota, in each cluster that the manager works on. */
export async function addQuotaController(manager: Manager): Promise<void> {
  await controllerManagedBy(manager)
    .named('namespace-quota')
    .for(Namespace)
    .owns(ResourceQuota)
    .complete(async ({ name }, { cluster, log, signal }) => {
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
          // An owner without a namespace may own what is in one: deleting the namespace deletes both anyway.
          setControllerReference(namespace, quota);
        },
        { signal },
      );
      if (result === 'unchanged') return;
      log.info('quota set', { team, result });
      const note = `the quota of team ${team} was ${result}`;
      target.eventRecorder('namespace-quota').event(namespace, { type: 'Normal', reason: 'QuotaSet', note });
    });
}
