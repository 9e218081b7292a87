import type { OwnerReference } from '@mcr/client';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { plainDeletion, remove } from '../verbs/delete.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, policyOf } from '../verbs/propagation.ts';
import type { Backend, Target } from '../verbs/target.ts';
import { modify } from '../verbs/update.ts';
import { unconverted } from '../verbs/version-conversion.ts';
import type { BackgroundTasks } from './background-tasks.ts';

/** Name of upstream's controller in `managedFields`. */
const MANAGER = 'kube-controller-manager';

/**
 * Deletes objects whose owners no longer exist, and completes deletions that wait for dependents: Foreground until
 * blocking dependents are deleted, Orphan until no dependent refers to the owner. (Upstream:
 * `pkg/controller/garbagecollector`.)
 */
export function startGarbageCollector(backend: Backend, tasks: BackgroundTasks): void {
  const { store, registry, absentReferences } = backend;
  /** Uids of deleted objects, where an owner that does not exist may never have existed. */
  const deleted = absentReferences === 'accepted' ? new Set<string>() : undefined;
  const isGone = (uid: string): boolean => !deleted || deleted.has(uid) || store.byUid(uid) !== undefined;
  const collector: Collector = { store, registry, isGone };
  const enqueue = (uid: string): void => tasks.add(`garbage/${uid}`, () => collect(collector, uid));

  for (const id of store.resourceIds()) {
    for (const { uid, owners, terminating } of store.resource(id).list('')) {
      if (owners.length > 0 || terminating) enqueue(uid);
    }
  }
  store.onWrite(({ type, object }) => {
    if (type !== 'DELETED') {
      if (object.owners.length > 0 || object.terminating) enqueue(object.uid);
      return;
    }
    deleted?.add(object.uid);
    for (const { uid } of store.dependentsOf(object.uid)) enqueue(uid);
    for (const { uid } of object.owners) if (store.byUid(uid)?.terminating) enqueue(uid);
  });
}

interface Collector extends Backend {
  /** Whether an owner that an object does not have counts as deleted. */
  readonly isGone: (uid: string) => boolean;
}

function* collect(backend: Collector, uid: string): Generator<void> {
  const object = backend.store.byUid(uid);
  if (!object) return;
  if (object.terminating) yield* completeDeletion(backend, object);
  else judge(backend, object);
}

/** Decides by the owners of an object whether to delete it. */
function judge(backend: Collector, object: StoredObject): void {
  if (object.owners.length === 0) return;
  const target = targetOf(backend, object);
  if (!target) return;
  const existing: OwnerReference[] = [];
  const waiting: OwnerReference[] = [];
  for (const reference of object.owners) {
    const owner = ownerOf(backend, object, reference);
    if (owner) (waitsForDependents(owner) ? waiting : existing).push(reference);
    else if (!backend.isGone(reference.uid)) existing.push(reference);
  }
  if (existing.length === object.owners.length) return;
  if (existing.length === 0) {
    const finalizers = parseStored(object).metadata.finalizers ?? [];
    const propagationPolicy = waiting.length > 0 ? 'Foreground' : (policyOf(finalizers) ?? 'Background');
    remove(backend, target, { ...plainDeletion, propagationPolicy });
    return;
  }
  const kept = new Set(existing.map(({ uid }) => uid));
  edit(backend, target, ({ metadata }) => {
    metadata.ownerReferences = metadata.ownerReferences?.filter(({ uid }) => kept.has(uid)) ?? [];
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

/** Returns the owner that a reference identifies: an object with its uid, cluster-scoped or in the same namespace. */
function ownerOf({ store }: Backend, object: StoredObject, { uid }: OwnerReference): StoredObject | undefined {
  const owner = store.byUid(uid);
  return owner && (owner.namespace === '' || owner.namespace === object.namespace) ? owner : undefined;
}

function waitsForDependents(owner: StoredObject): boolean {
  return owner.terminating && (parseStored(owner).metadata.finalizers ?? []).includes(FOREGROUND_FINALIZER);
}

function blocks(dependent: StoredObject, ownerUid: string): boolean {
  return dependent.owners.some(({ uid, blockOwnerDeletion }) => uid === ownerUid && blockOwnerDeletion === true);
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
