import { definedTypes } from '../resources/custom-resource-definition.ts';
import { valueAt } from '../resources/resource-type.ts';
import { now } from '../resources/timestamp.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { plainDeletion, remove } from '../verbs/delete.ts';
import type { Backend } from '../verbs/target.ts';
import { modify } from '../verbs/update.ts';
import type { BackgroundTasks } from './background-tasks.ts';

/** Name of upstream's controller in `managedFields`. */
const MANAGER = 'kube-apiserver';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

/** Finalizer that keeps a definition until its objects are deleted, as upstream does. */
const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

export interface DefinitionBackend extends Backend {
  /** Ends the watches of a resource that is no longer served. */
  endWatches(storage: string): void;
}

/** Serves the kinds of CustomResourceDefinitions, and deletes the objects of deleted definitions. */
export function startDefinitionController(backend: DefinitionBackend, tasks: BackgroundTasks): void {
  const { store, registry } = backend;
  const definitions = store.resource(DEFINITIONS);
  const enqueue = (name: string): void => tasks.add(`definition/${name}`, () => settle(backend, name));
  const serve = (definition: StoredObject): void => {
    // The name of a definition is the name of its resource: `<plural>.<group>`.
    registry.remove(definition.name);
    for (const type of definedTypes(parseStored(definition))) registry.add(type);
    enqueue(definition.name);
  };

  for (const definition of definitions.list('')) serve(definition);
  store.onWrite(({ type, object }) => {
    if (object.resource !== DEFINITIONS) {
      if (type === 'DELETED' && definitions.get(object.resource)?.terminating) enqueue(object.resource);
    } else if (type === 'DELETED') {
      registry.remove(object.name);
      backend.endWatches(object.name);
      store.resource(object.name).log.refill(object.version);
    } else {
      serve(object);
    }
  });
}

function* settle(backend: Backend, name: string): Generator<void> {
  const { store, registry } = backend;
  const definition = store.resource(DEFINITIONS).get(name);
  const type = registry.storedType(DEFINITIONS);
  if (!definition || !type) return;
  const target = { type, namespace: '', name };
  if (!definition.terminating) {
    modify(backend, { target, part: 'object', dryRun: false, manager: MANAGER, change: withCleanup });
    modify(backend, { target, part: 'status', dryRun: false, manager: MANAGER, change: established });
    return;
  }
  const instances = registry.storedType(name);
  for (const object of store.resource(name).list('')) {
    if (instances && !object.terminating && store.byUid(object.uid)) {
      remove(backend, { type: instances, namespace: object.namespace, name: object.name }, plainDeletion);
    }
    yield;
  }
  if (store.resource(name).size === 0 && store.byUid(definition.uid)) {
    modify(backend, { target, part: 'object', dryRun: false, manager: MANAGER, change: withoutCleanup });
  }
}

function withCleanup(definition: ApiObject): ApiObject {
  const finalizers = [...new Set([...(definition.metadata.finalizers ?? []), CLEANUP_FINALIZER])];
  return { ...definition, metadata: { ...definition.metadata, finalizers } };
}

function withoutCleanup(definition: ApiObject): ApiObject {
  const finalizers = definition.metadata.finalizers?.filter((finalizer) => finalizer !== CLEANUP_FINALIZER) ?? [];
  return { ...definition, metadata: { ...definition.metadata, finalizers } };
}

function established(definition: ApiObject): ApiObject {
  const before = valueAt(definition, 'status.conditions');
  const conditions: unknown = Array.isArray(before)
    ? before
    : [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ];
  const versions = valueAt(definition, 'spec.versions');
  const stored = asArray(versions).find((version) => valueAt(version, 'storage') === true);
  const storedVersions = new Set([...asArray(valueAt(definition, 'status.storedVersions')), valueAt(stored, 'name')]);
  const acceptedNames = valueAt(definition, 'spec.names');
  return { ...definition, status: { conditions, acceptedNames, storedVersions: [...storedVersions] } };
}

function condition(type: string, reason: string, message: string): object {
  return { type, status: 'True', lastTransitionTime: now(), reason, message };
}

function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}
