import { valueAt } from '../resources/resource-type.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { plainDeletion, remove } from '../verbs/delete.ts';
import type { Backend } from '../verbs/target.ts';
import { modify } from '../verbs/update.ts';
import type { BackgroundTasks } from './background-tasks.ts';

/** Name of upstream's controller in `managedFields`. */
const MANAGER = 'kube-controller-manager';

/** Deletes the objects in terminating namespaces, then the namespaces. */
export function startNamespaceController(backend: Backend, tasks: BackgroundTasks): void {
  const namespaces = backend.store.resource('namespaces');
  const enqueue = (name: string): void => tasks.add(`namespace/${name}`, () => empty(backend, name));

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
  // Waits for objects with finalizers: when one is deleted, the namespace is processed again.
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

/** Reports whether this object still exists, rather than a new one of the same name. */
export function isPresent({ store }: Backend, object: StoredObject): boolean {
  return store.byUid(object.uid) !== undefined;
}

function withoutSpecFinalizers(namespace: ApiObject): ApiObject {
  return { ...namespace, spec: { ...(valueAt(namespace, 'spec') as object | undefined), finalizers: [] } };
}
