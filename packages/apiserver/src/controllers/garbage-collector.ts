import { DEFINITIONS } from '../definitions/definition.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { plainDeletion, remove } from '../verbs/delete.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, policyOf } from '../verbs/propagation.ts';
import type { Backend, Target } from '../verbs/target.ts';
import { modify } from '../verbs/update.ts';
import { unconverted } from '../verbs/version-conversion.ts';
import type { BackgroundTasks } from './background-tasks.ts';
import { OwnerLookup, waitsForDependents } from './owner-lookup.ts';

/** Name of upstream's controller in `managedFields`. */
const MANAGER = 'kube-controller-manager';

/**
 * Deletes objects whose owners no longer exist, and completes deletions that wait for dependents: Foreground until
 * blocking dependents are deleted, Orphan until no dependent refers to the owner. (Upstream:
 * `pkg/controller/garbagecollector`.)
 */
export function startGarbageCollector(backend: Backend, tasks: BackgroundTasks): void {
  const { store, registry } = backend;
  const lookup = new OwnerLookup(backend);
  /** Uids of objects that are kept until the kinds of their owners are served. */
  const undecided = new Set<string>();
  const collector: Collector = { store, registry, lookup, undecided };
  const enqueue = (uid: string): void => tasks.add(`garbage/${uid}`, () => collect(collector, uid));

  for (const id of store.resourceIds()) {
    for (const { uid, owners, terminating } of store.resource(id).list('')) {
      if (owners.length > 0 || terminating) enqueue(uid);
    }
  }
  store.onWrite(({ type, object, previous }) => {
    if (object.resource === DEFINITIONS) for (const uid of undecided) enqueue(uid);
    if (type !== 'DELETED') {
      if (object.owners.length > 0 || object.terminating) enqueue(object.uid);
      for (const { uid } of previous?.owners ?? []) {
        if (blocks(previous, uid) && !blocks(object, uid) && store.byUid(uid)?.terminating) enqueue(uid);
      }
      return;
    }
    undecided.delete(object.uid);
    lookup.remember(object);
    for (const { uid } of store.dependentsOf(object.uid)) enqueue(uid);
    for (const { uid } of object.owners) if (store.byUid(uid)?.terminating) enqueue(uid);
  });
}

interface Collector extends Backend {
  readonly lookup: OwnerLookup;
  readonly undecided: Set<string>;
}

function* collect(backend: Collector, uid: string): Generator<void> {
  const object = backend.store.byUid(uid);
  backend.undecided.delete(uid);
  if (!object) return;
  if (object.terminating) yield* completeDeletion(backend, object);
  else judge(backend, object);
}

/** Decides by the owners of an object whether to delete it. */
function judge(backend: Collector, object: StoredObject): void {
  if (object.owners.length === 0) return;
  const target = targetOf(backend, object);
  if (!target) return;
  const owners = backend.lookup.classify(object);
  if (!owners) {
    backend.undecided.add(object.uid);
    return;
  }
  const { solid, dangling, waiting } = owners;
  if (solid.length > 0) {
    if (dangling.length === 0 && waiting.length === 0) return;
    const removed = new Set([...dangling, ...waiting].map(({ uid }) => uid));
    edit(backend, target, ({ metadata }) => {
      metadata.ownerReferences = metadata.ownerReferences?.filter(({ uid }) => !removed.has(uid)) ?? [];
    });
    return;
  }
  const dependents = backend.store.dependentsOf(object.uid);
  if (waiting.length > 0 && dependents.length > 0) {
    // An owner and a dependent that both wait may be the same object, or wait for each other.
    if (dependents.some(waitsForDependents)) unblockOwners(backend, target);
    remove(backend, target, { ...plainDeletion, propagationPolicy: 'Foreground' });
    return;
  }
  const propagationPolicy = policyOf(parseStored(object).metadata.finalizers ?? []) ?? 'Background';
  remove(backend, target, { ...plainDeletion, propagationPolicy });
}

/** Lets the owners of an object be deleted before it. */
function unblockOwners(backend: Backend, target: Target): void {
  edit(backend, target, ({ metadata }) => {
    metadata.ownerReferences = (metadata.ownerReferences ?? []).map((reference) =>
      reference.blockOwnerDeletion ? { ...reference, blockOwnerDeletion: false } : reference,
    );
  });
}

function* completeDeletion(backend: Collector, object: StoredObject): Generator<void> {
  const target = targetOf(backend, object);
  const finalizers = parseStored(object).metadata.finalizers ?? [];
  if (!target) return;
  if (finalizers.includes(ORPHAN_FINALIZER)) {
    for (const dependent of backend.store.dependentsOf(object.uid)) {
      disown(backend, dependent, object.uid);
      yield;
    }
    dropFinalizer(backend, target, ORPHAN_FINALIZER);
  } else if (finalizers.includes(FOREGROUND_FINALIZER)) {
    for (const dependent of backend.store.dependentsOf(object.uid)) {
      if (!dependent.terminating) judge(backend, dependent);
      yield;
    }
    const left = backend.store.dependentsOf(object.uid);
    if (!left.some((dependent) => blocks(dependent, object.uid))) dropFinalizer(backend, target, FOREGROUND_FINALIZER);
  }
}

function blocks(dependent: StoredObject | undefined, ownerUid: string): boolean {
  return dependent?.owners.some(({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion) ?? false;
}

function disown(backend: Backend, dependent: StoredObject, ownerUid: string): void {
  const target = targetOf(backend, dependent);
  if (!target) return;
  edit(backend, target, ({ metadata }) => {
    metadata.ownerReferences = metadata.ownerReferences?.filter(({ uid }) => uid !== ownerUid) ?? [];
  });
}

function dropFinalizer(backend: Backend, target: Target, finalizer: string): void {
  edit(backend, target, ({ metadata }) => {
    metadata.finalizers = metadata.finalizers?.filter((present) => present !== finalizer) ?? [];
  });
}

function edit(backend: Backend, target: Target, change: (object: ApiObject) => void): void {
  modify(backend, {
    target,
    part: 'object',
    dryRun: false,
    manager: MANAGER,
    change: (object) => {
      change(object);
      return object;
    },
  });
}

function targetOf({ store, registry }: Backend, { resource, key, namespace, name }: StoredObject): Target | undefined {
  const type = registry.storedType(resource);
  const current = store.resource(resource).get(key);
  return type && current ? { type: unconverted(type, current), namespace, name } : undefined;
}
