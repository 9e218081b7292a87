import type { DeepReadonly, KubernetesObject, OwnerReference } from '@mcr/client';

/** The cluster of objects, with the data that ownership checks need. */
export interface Home {
  /** Its name in errors, for example `cluster "eu-1"`. */
  readonly subject: string;
  /** URL of its API server. Two connections to one server have the same home. */
  readonly server: () => string;
  /** The namespace of the server that is presented as a cluster. Default: the whole cluster. */
  readonly namespace?: string;
  /** Returns the objects with this kind and name from its cache. */
  readonly peek: (object: Owner) => readonly Owner[];
}

/** An object that owns others, as read. */
export type Owner = DeepReadonly<KubernetesObject>;

/**
 * Homes of objects that were read from an API server or returned by a write. A cached object has no entry: its home is
 * looked up in the caches, only when an owner reference is set or written.
 */
const known = new WeakMap<object, Home>();

/** Homes whose caches are included in lookups. */
const running = new Set<Home>();

/** Owner from which each owner reference was created, until the reference is written. */
const owners = new WeakMap<object, Owner>();

/** Records that `object` was read from or written to `home`, and returns it. */
export function settle<T extends object>(object: T, home: Home): T {
  known.set(object, home);
  return object;
}

/** Includes the cache of a home in lookups until the returned function is called. */
export function openHome(home: Home): () => void {
  running.add(home);
  return () => void running.delete(home);
}

/** Records the object from which `reference` was created. */
export function rememberOwner(reference: OwnerReference, owner: Owner): void {
  owners.set(reference, owner);
}

/**
 * Returns the owner from which a reference was created; `undefined` for a reference that was written by hand or copied.
 */
export function ownerOf(reference: object): Owner | undefined {
  return owners.get(reference);
}

/** Returns the home of an object that was read from another cluster than `home`, if known. */
export function foreignHomeOf(object: Owner, home: Home): Home | undefined {
  const other = known.get(object) ?? (holds(home, object) ? home : homeByCache(object));
  if (!other || other === home || contains(home, other, object)) return undefined;
  // The same API server under two URLs.
  return holds(home, object) ? undefined : other;
}

/** Returns the home of an object that was read from an API server, not from a cache. */
export function knownHomeOf(object: object): Home | undefined {
  return known.get(object);
}

/** Whether the garbage collector finds `object` of `other` from objects in `home`. */
function contains(home: Home, other: Home, object: Owner): boolean {
  if (other.server() !== home.server()) return false;
  return home.namespace === undefined || home.namespace === other.namespace || !object.metadata.namespace;
}

function homeByCache(object: Owner): Home | undefined {
  for (const home of running) if (holds(home, object)) return home;
  return undefined;
}

/** Compares the uid, because the cache may contain a newer version of the object. */
function holds(home: Home, object: Owner): boolean {
  const { uid } = object.metadata;
  return home.peek(object).some((candidate) => candidate === object || candidate.metadata.uid === uid);
}
