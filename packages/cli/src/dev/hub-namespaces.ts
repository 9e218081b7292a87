import { POD_NAMESPACE, type Project } from '../project/project.ts';

/** Returns the namespaces that a project needs in the hub: its own, and those that its permissions name. */
export function hubNamespaces({ namespace, permissions }: Project): string[] {
  const named = permissions
    .filter((permission) => permission.in === 'local')
    .flatMap(({ namespaces = [] }) => namespaces)
    .filter((each) => each !== POD_NAMESPACE);
  return [...new Set([namespace, ...named])];
}
