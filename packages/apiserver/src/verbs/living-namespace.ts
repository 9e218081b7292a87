import type { ResourceType } from '../resources/resource-type.ts';
import { namespaceTerminating, notFound } from '../status.ts';
import type { Backend } from './target.ts';

/**
 * Requires that a namespace can get new content. (Upstream: the admission plugin `NamespaceLifecycle`.)
 *
 * @param name name of the new object, for the error.
 * @throws {StatusError} 404 if the namespace does not exist, 403 if it is being deleted.
 */
export function requireLivingNamespace(
  { store, registry, absentReferences }: Backend,
  type: ResourceType,
  namespace: string,
  name: string,
): void {
  if (type.scope === 'Cluster') return;
  const found = store.resource('namespaces').get(namespace);
  const namespaces = registry.storedType('namespaces');
  if (!found && namespaces && absentReferences !== 'accepted') throw notFound(namespaces, namespace);
  if (found?.terminating) throw namespaceTerminating(type, name, namespace);
}
