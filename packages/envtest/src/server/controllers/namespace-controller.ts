import { valueAt } from '../resources/resource-type.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { plainDeletion, remove } from '../verbs/delete.ts';
import type { Backend } from '../verbs/target.ts';
import { modify } from '../verbs/update.ts';
import type { Chores } from './chores.ts';

/** In `managedFields`, as upstream's controller names itself. */
const MANAGER = 'kube-controller-manager';

/** Empties the namespaces that are being deleted, then lets them go. */
export function startNamespaceController(backend: Backend, chores: Chores): void {
  const namespaces = backend.store.resource('namespaces');
  const enqueue = (name: string): void => chores.add(`namespace/${name}`, () => empty(backend, name));

  for (const namespace of namespaces.list('')) if (namespace.terminating) enqueue(namespace.name);
  backend.store.onWrite(({ type, object }) => {
    if (object.resource === 'namespaces' && object.terminating) enqueue(object.name);
    else if (type === 'DELETED' && namespaces.get(object.namespace)?.terminating) enqueue(object.namespace);
  });
}

function* empty(backend: Backend, name: string): Generator<void> {
  const { store, registry } = backend;
  if (!store.resource('namespaces').get(name)?.terminating) return;
  const types = registry.stored().filter(({ scope }) => scope === 'Namespaced');
  for (const type of types) {
    for (const object of store.resource(type.storage).list(name)) {
      if (isPresent(backend, object) && !object.terminating) {
        remove(backend, { type, namespace: name, name: object.name }, plainDeletion);
      }
      yield;
    }
  }
  // Objects with finalizers are waited for: each one's end brings this namespace here again.
  if (types.some((type) => store.resource(type.storage).list(name).length > 0)) return;
  const type = registry.storedType('namespaces');
  if (!type || !store.resource('namespaces').get(name)) return;
  modify(backend, {
    target: { type, namespace: '', name },
    part: 'finalize',
    dryRun: false,
    manager: MANAGER,
    change: withoutSpecFinalizers,
  });
}

/** Whether this very object is still there. */
export function isPresent({ store }: Backend, object: StoredObject): boolean {
  return store.byUid(object.uid) !== undefined;
}

function withoutSpecFinalizers(namespace: ApiObject): ApiObject {
  return { ...namespace, spec: { ...(valueAt(namespace, 'spec') as object | undefined), finalizers: [] } };
}
