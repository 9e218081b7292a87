import type { Project, ProjectPermission } from '../project/project.ts';

/** Custom kinds of inventories, which providers of this project read. */
const INVENTORIES = ['clusters.cluster.x-k8s.io', 'clusters.cluster.k8s.io', 'clusterprofiles.multicluster.x-k8s.io'];

/**
 * Says what to do so that the program finds the members, unless it finds them by itself.
 *
 * @param directory path of the directory with the kubeconfigs of the members.
 */
export function memberAdvice({ hasProvider, permissions }: Project, directory: string): string | undefined {
  if (!hasProvider) return undefined;
  const listed = new Set(permissions.filter(isInventory).map(nameOf));
  const inventory = INVENTORIES.find((name) => listed.has(name));
  if (inventory !== undefined) {
    return `the provider reads ${inventory}: apply the definition and the objects of the members to the hub; their kubeconfigs are in ${directory}`;
  }
  if (listed.has('secrets')) return undefined;
  if (listed.has('namespaces')) return 'the provider reads Namespaces of the hub: create some with its labels';
  return `the kubeconfigs of the members are in ${directory}: the file provider reads them with kubeconfigDirs: [process.env['KUBECONFIG_DIR'] ?? '/kubeconfigs']`;
}

const isInventory = ({ in: place, verbs }: ProjectPermission): boolean => place === 'local' && verbs.includes('list');

const nameOf = ({ group, resource }: ProjectPermission): string => (group === '' ? resource : `${resource}.${group}`);
