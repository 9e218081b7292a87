import { DEFINITIONS, hasCondition } from '../definitions/definition.ts';
import { settledDefinition } from '../definitions/names-accepted.ts';
import type { Termination } from '../definitions/termination.ts';
import {
  DELETION_COMPLETED,
  DELETION_IN_PROGRESS,
  NEVER_ESTABLISHED,
  withCondition,
} from '../definitions/termination.ts';
import { definedTypes } from '../resources/custom-resource-definition.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { CLEANUP_FINALIZER, plainDeletion, remove } from '../verbs/delete.ts';
import type { Backend } from '../verbs/target.ts';
import { modify } from '../verbs/update.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import type { BackgroundTasks } from './background-tasks.ts';

/** Name of upstream's controller in `managedFields`. */
const MANAGER = 'kube-apiserver';

export interface DefinitionBackend extends Backend {
  readonly webhooks: WebhookClient;
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
    const settled = settledDefinition(parseStored(definition), othersOf(backend, definition.name));
    // A definition whose names are taken is not served.
    if (hasCondition(settled, 'Established')) {
      for (const type of definedTypes(settled, backend.webhooks)) registry.add(type);
    }
    enqueue(definition.name);
  };

  for (const definition of definitions.list('')) serve(definition);
  store.onWrite(({ type, object }) => {
    if (object.resource !== DEFINITIONS) {
      if (type === 'DELETED' && definitions.get(object.resource)?.terminating) enqueue(object.resource);
    } else if (type === 'DELETED') {
      // Its names may be what another definition waits for.
      for (const { name } of definitions.list('')) enqueue(name);
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
    const change = (current: ApiObject): ApiObject => settledDefinition(current, othersOf(backend, name));
    modify(backend, { target, part: 'status', dryRun: false, manager: MANAGER, change });
    return;
  }
  const record = (condition: Termination): void => {
    const change = (current: ApiObject): ApiObject => withCondition(current, condition);
    modify(backend, { target, part: 'status', dryRun: false, manager: MANAGER, change });
  };
  if (!hasFinalizer(definition)) return;
  record(DELETION_IN_PROGRESS);
  const instances = registry.storedType(name);
  for (const object of store.resource(name).list('')) {
    if (instances && !object.terminating && store.byUid(object.uid)) {
      remove(
        backend,
        { type: instances, namespace: object.namespace, name: object.name },
        { ...plainDeletion, isPolicySet: false },
      );
    }
    yield;
  }
  const left = store.byUid(definition.uid);
  if (store.resource(name).size === 0 && left) {
    record(hasCondition(parseStored(left), 'Established') ? DELETION_COMPLETED : NEVER_ESTABLISHED);
    modify(backend, { target, part: 'object', dryRun: false, manager: MANAGER, change: withoutCleanup });
  }
}

function hasFinalizer(definition: StoredObject): boolean {
  return parseStored(definition).metadata.finalizers?.includes(CLEANUP_FINALIZER) ?? false;
}

function othersOf({ store }: Backend, name: string): ApiObject[] {
  const definitions = store.resource(DEFINITIONS).list('');
  return definitions.filter((other) => other.name !== name).map(parseStored);
}

function withoutCleanup(definition: ApiObject): ApiObject {
  const finalizers = definition.metadata.finalizers?.filter((finalizer) => finalizer !== CLEANUP_FINALIZER) ?? [];
  return { ...definition, metadata: { ...definition.metadata, finalizers } };
}
