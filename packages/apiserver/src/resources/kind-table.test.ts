import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { builtInTypes } from './kind-table.ts';
import { apiVersionOf } from './resource-type.ts';

/** Every kind of Kubernetes 1.35 that this server promises: version, kind, plural, scope, short names. */
const KINDS = `
v1 Namespace namespaces Cluster ns
v1 ConfigMap configmaps Namespaced cm
v1 Secret secrets Namespaced
v1 Service services Namespaced svc
v1 Pod pods Namespaced po
v1 ServiceAccount serviceaccounts Namespaced sa
v1 Node nodes Cluster no
v1 Event events Namespaced ev
v1 Endpoints endpoints Namespaced ep
v1 PersistentVolumeClaim persistentvolumeclaims Namespaced pvc
v1 ResourceQuota resourcequotas Namespaced quota
v1 LimitRange limitranges Namespaced limits
apps/v1 Deployment deployments Namespaced deploy
apps/v1 ReplicaSet replicasets Namespaced rs
apps/v1 StatefulSet statefulsets Namespaced sts
apps/v1 DaemonSet daemonsets Namespaced ds
batch/v1 Job jobs Namespaced
batch/v1 CronJob cronjobs Namespaced cj
networking.k8s.io/v1 Ingress ingresses Namespaced ing
networking.k8s.io/v1 NetworkPolicy networkpolicies Namespaced netpol
rbac.authorization.k8s.io/v1 Role roles Namespaced
rbac.authorization.k8s.io/v1 RoleBinding rolebindings Namespaced
rbac.authorization.k8s.io/v1 ClusterRole clusterroles Cluster
rbac.authorization.k8s.io/v1 ClusterRoleBinding clusterrolebindings Cluster
coordination.k8s.io/v1 Lease leases Namespaced
discovery.k8s.io/v1 EndpointSlice endpointslices Namespaced
policy/v1 PodDisruptionBudget poddisruptionbudgets Namespaced pdb
autoscaling/v2 HorizontalPodAutoscaler horizontalpodautoscalers Namespaced hpa
storage.k8s.io/v1 StorageClass storageclasses Cluster sc
scheduling.k8s.io/v1 PriorityClass priorityclasses Cluster pc
events.k8s.io/v1 Event events Namespaced ev
apiextensions.k8s.io/v1 CustomResourceDefinition customresourcedefinitions Cluster crd crds
admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validatingwebhookconfigurations Cluster
admissionregistration.k8s.io/v1 MutatingWebhookConfiguration mutatingwebhookconfigurations Cluster
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy validatingadmissionpolicies Cluster
admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings Cluster
v1 PersistentVolume persistentvolumes Cluster pv
v1 PodTemplate podtemplates Namespaced
v1 ReplicationController replicationcontrollers Namespaced rc
apps/v1 ControllerRevision controllerrevisions Namespaced
autoscaling/v1 HorizontalPodAutoscaler horizontalpodautoscalers Namespaced hpa
apiregistration.k8s.io/v1 APIService apiservices Cluster
certificates.k8s.io/v1 CertificateSigningRequest certificatesigningrequests Cluster csr
networking.k8s.io/v1 IngressClass ingressclasses Cluster
networking.k8s.io/v1 ServiceCIDR servicecidrs Cluster
networking.k8s.io/v1 IPAddress ipaddresses Cluster ip
node.k8s.io/v1 RuntimeClass runtimeclasses Cluster
storage.k8s.io/v1 CSIDriver csidrivers Cluster
storage.k8s.io/v1 CSINode csinodes Cluster
storage.k8s.io/v1 CSIStorageCapacity csistoragecapacities Namespaced
storage.k8s.io/v1 VolumeAttachment volumeattachments Cluster
storage.k8s.io/v1 VolumeAttributesClass volumeattributesclasses Cluster vac
flowcontrol.apiserver.k8s.io/v1 FlowSchema flowschemas Cluster
flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration prioritylevelconfigurations Cluster
resource.k8s.io/v1 ResourceClaim resourceclaims Namespaced
resource.k8s.io/v1 ResourceClaimTemplate resourceclaimtemplates Namespaced
resource.k8s.io/v1 ResourceSlice resourceslices Cluster
resource.k8s.io/v1 DeviceClass deviceclasses Cluster
`;

describe('built-in kinds', () => {
  it.each(KINDS.trim().split('\n'))('K-20: serves %s', (line) => {
    const [apiVersion = '', kind = '', plural = '', scope = '', ...shortNames] = line.split(' ');
    const type = builtInTypes.find((candidate) => candidate.kind === kind && apiVersionOf(candidate) === apiVersion);
    expect(type).toMatchObject({ plural, scope, shortNames, singular: kind.toLowerCase() });
    // A schema with any field must also have the fields of every object.
    expect(Object.keys(type?.schema.properties ?? {})).toEqual(
      expect.arrayContaining(['apiVersion', 'kind', 'metadata']),
    );
    for (const column of type?.columns ?? []) {
      expect(() =>
        column.cell({ apiVersion, kind, metadata: { name: 'x', uid: '', resourceVersion: '', creationTimestamp: '' } }),
      ).not.toThrow();
    }
  });

  it('K-20: the README lists each kind', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const listed = [...readme.matchAll(/^\| (?<group>[a-z0-9.]+) +\| (?<kinds>[A-Z].*?) *\|$/gm)].flatMap(
      ({ groups }) =>
        (groups?.['kinds'] ?? '').split(', ').map((kind) => `${groups?.['group']} ${kind.replace(/ \(.*/, '')}`),
    );
    const served = new Set(builtInTypes.map(({ group, kind }) => `${group || 'core'} ${kind}`));
    expect(listed.sort()).toEqual([...served].sort());
  });
});
