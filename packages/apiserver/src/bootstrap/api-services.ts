import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';

/** Priorities of the groups in discovery (upstream: `pkg/controlplane/apiserver/aggregator.go`). */
export const GROUP_PRIORITIES: Readonly<Record<string, number>> = {
  'apiregistration.k8s.io': 18_000,
  '': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'admissionregistration.k8s.io': 16_700,
  'apiextensions.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'resource.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
};

/** Priorities of versions that differ from 15. */
const VERSION_PRIORITIES: Readonly<Record<string, number>> = {
  v1: 1,
  'autoscaling/v2': 30,
  'flowcontrol.apiserver.k8s.io/v1': 21,
  'resource.k8s.io/v1': 21,
};

/** Returns the APIServices of the groups that the server itself serves. */
export function apiServices(types: readonly ResourceType[]): object[] {
  const served = new Map(types.map(({ group, version }) => [apiVersionOf({ group, version }), { group, version }]));
  served.delete('apiregistration.k8s.io/v1');
  return [...served].map(([apiVersion, { group, version }]) => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}`, labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
    spec: {
      ...(group !== '' && { group }),
      version,
      groupPriorityMinimum: GROUP_PRIORITIES[group] ?? 1000,
      versionPriority: VERSION_PRIORITIES[apiVersion] ?? 15,
    },
  }));
}
