import type { GeneratedFile } from '../files/generated-files.ts';
import type { Project } from '../project/project.ts';
import { fileText, type Manifest } from './manifest.ts';
import { definitionsOf } from './objects/definitions.ts';
import { metricsServiceOf, monitoringOf, networkPolicyOf, webhookServiceOf } from './objects/network.ts';
import { deploymentOf, disruptionBudgetOf, serviceAccountOf } from './objects/workload.ts';
import { bindingOf, rolesOf } from './rbac/roles.ts';
import type { Target } from './target.ts';

/** Objects that a person looks up together are in one file. */
export type ManifestFile = readonly [path: string, manifests: readonly Manifest[]];

/** Returns the objects of the program in the local cluster, without its namespace and definitions. */
export function programFiles(project: Project, target: Target): ManifestFile[] {
  const roles = rolesOf(
    project.permissions.filter((permission) => permission.in === 'local'),
    target,
  );
  const files: ManifestFile[] = [
    ['rbac.yaml', [serviceAccountOf(target), ...roles.flatMap((role) => [role, bindingOf(role, target)])]],
    ['deployment.yaml', [deploymentOf(project, target), disruptionBudgetOf(target)]],
    [
      'network.yaml',
      [networkPolicyOf(project, target), ...webhookServiceOf(project, target), ...metricsServiceOf(project, target)],
    ],
  ];
  return files;
}

/** Returns the files of the kustomize base, the folder for members, and the folder for the Prometheus operator. */
export function kustomizeFiles(project: Project, target: Target): GeneratedFile[] {
  const definitions = (origin: 'local' | 'members'): ManifestFile[] =>
    definitionsOf(project, origin).map(({ name, manifest }) => [`crds/${name}.yaml`, [manifest]]);
  const base: ManifestFile[] = [
    ...definitions('local'),
    ['namespace.yaml', [namespaceOf(target)]],
    ...programFiles(project, target),
  ];
  return [
    ...folder('base', base),
    ...folder('members', [...definitions('members'), ...memberFiles(project, target)]),
    ...folder('monitoring', [['service-monitor.yaml', monitoringOf(project, target)]]),
  ];
}

/** Every Pod of the program fulfils the strictest standard. */
function namespaceOf({ namespace }: Target): Manifest {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } };
  return { object };
}

/** The roles in each member. They are bound to the account in the kubeconfig of the member, which has any name. */
function memberFiles({ permissions }: Project, target: Target): ManifestFile[] {
  const roles = rolesOf(
    permissions.filter((permission) => permission.in === 'members'),
    target,
  );
  return roles.length === 0 ? [] : [['rbac.yaml', roles]];
}

/** Returns the files that have objects, and the `kustomization.yaml` that lists them. */
function folder(name: string, files: readonly ManifestFile[]): GeneratedFile[] {
  const filled = files.filter(([, manifests]) => manifests.length > 0);
  if (filled.length === 0) return [];
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: filled.map(([path]) => path),
  };
  return [
    ...filled.map(([path, manifests]) => ({ path: `${name}/${path}`, text: fileText(manifests) })),
    { path: `${name}/kustomization.yaml`, text: fileText([{ object: kustomization }]) },
  ];
}
