import type { DeepReadonly, KubernetesObject, OwnerReference } from '@mcr/client';

/** The cluster that objects are in, as far as ownership needs to know it. */
export interface Home {
  /** What errors call it, for example `cluster "eu-1"`. */
  readonly subject: string;
  /** The URL of its API server: two connections to one server are one home. */
  readonly server: () => string;
  /** The objects of this kind and name that its cache holds. */
  readonly peek: (object: Owner) => readonly Owner[];
}

/** An object as it was read, which is to own another. */
export type Owner = DeepReadonly<KubernetesObject>;

/**
 * Homes of objects that were read from an API server or returned by a write. An object of a cache has no entry: its home
 * is found by asking the caches, and only when an owner reference is set or written.
 */
const known = new WeakMap<object, Home>();

/** The clusters that run. */
const running = new Set<Home>();

/** The owner that each owner reference was made of, until the reference is written. */
const owners = new WeakMap<object, Owner>();

/** Notes that `object` was read from, or written to, `home`. */
export function settle<T extends object>(object: T, home: Home): T {
  known.set(object, home);
  return object;
}

/** Lets the objects of a home's cache be found until the returned function is called. */
export function openHome(home: Home): () => void {
  running.add(home);
  return () => void running.delete(home);
}

/** Notes of which object `reference` was made. */
export function rememberOwner(reference: OwnerReference, owner: Owner): void {
  owners.set(reference, owner);
}

/** The owner that a reference was made of; `undefined` for a reference that was written by hand or copied. */
export function ownerOf(reference: object): Owner | undefined {
  return owners.get(reference);
}

/** The home of an object that is known to have been read somewhere else than in `home`. */
export function foreignHomeOf(object: Owner, home: Home): Home | undefined {
  const other = known.get(object) ?? (holds(home, object) ? home : homeByCache(object));
  if (!other || other === home || other.server() === home.server()) return undefined;
  // One API server under two URLs.
  return holds(home, object) ? undefined : other;
}

/** The home of an object that was read from an API server, not from a cache. */
export function knownHomeOf(object: object): Home | undefined {
  return known.get(object);
}

function homeByCache(object: Owner): Home | undefined {
  for (const home of running) if (holds(home, object)) return home;
  return undefined;
}

/** By uid, because the cache may hold a newer version of the object by now. */
function holds(home: Home, object: Owner): boolean {
  const { uid } = object.metadata;
  return home.peek(object).some((candidate) => candidate === object || candidate.metadata.uid === uid);
}
