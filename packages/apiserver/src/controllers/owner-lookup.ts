import type { OwnerReference } from '@mcr/client';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { objectKey, parseStored } from '../storage/stored-object.ts';
import { FOREGROUND_FINALIZER } from '../verbs/propagation.ts';
import type { Backend } from '../verbs/target.ts';

/** Number of deleted owners to remember, as upstream. */
const REMEMBERED = 500;

/** The owner references of an object, by the state of the owners. */
export interface ClassifiedOwners {
  /** The owner exists. */
  readonly solid: OwnerReference[];
  /** The owner does not exist, or its name belongs to an object with another uid. */
  readonly dangling: OwnerReference[];
  /** The owner is being deleted in the foreground, and waits for its dependents. */
  readonly waiting: OwnerReference[];
}

/**
 * Looks up owners as the garbage collector of kube-controller-manager does: by version, kind, namespace and name, and
 * then compares the uid. (Upstream: `isDangling` and `absentOwnerCache`.)
 */
export class OwnerLookup {
  readonly #backend: Backend;
  /** Coordinates of deleted owners, oldest first: their kind may no longer be served. */
  readonly #absent = new Set<string>();
  /** Uids of deleted objects, where an owner that does not exist may never have existed. */
  readonly #deleted: Set<string> | undefined;
  #kinds = new Map<string, ResourceType>();
  #revision: number | undefined;

  constructor(backend: Backend) {
    this.#backend = backend;
    this.#deleted = backend.absentReferences === 'accepted' ? new Set() : undefined;
  }

  /** Remembers a deleted object, which dependents may refer to. */
  remember(object: StoredObject): void {
    const { store, registry } = this.#backend;
    this.#deleted?.add(object.uid);
    if (store.dependentsOf(object.uid).length === 0) return;
    for (const type of registry.all()) {
      if (type.storage !== object.resource) continue;
      const reference = { apiVersion: apiVersionOf(type), kind: type.kind, name: object.name, uid: object.uid };
      const key = coordinates(reference, object.namespace);
      this.#absent.delete(key);
      this.#absent.add(key);
    }
    for (const key of this.#absent) {
      if (this.#absent.size <= REMEMBERED) break;
      this.#absent.delete(key);
    }
  }

  /**
   * Returns `undefined` if the object must be kept, because the kind of an owner is not served, or because the object is
   * cluster-scoped and an owner is namespaced.
   */
  classify(object: StoredObject): ClassifiedOwners | undefined {
    const owners: ClassifiedOwners = { solid: [], dangling: [], waiting: [] };
    for (const reference of object.owners) {
      const state = this.#stateOf(object, reference);
      if (!state) return undefined;
      owners[state].push(reference);
    }
    return owners;
  }

  #stateOf({ namespace }: StoredObject, reference: OwnerReference): keyof ClassifiedOwners | undefined {
    const { store } = this.#backend;
    const { uid, name } = reference;
    if (this.#absent.has(coordinates(reference, '')) || this.#absent.has(coordinates(reference, namespace))) {
      return 'dangling';
    }
    const type = this.#typeOf(reference);
    if (!type || (type.scope === 'Namespaced' && namespace === '')) return undefined;
    const owner = store.resource(type.storage).get(objectKey(type.scope === 'Namespaced' ? namespace : '', name));
    if (owner?.uid === uid) return waitsForDependents(owner) ? 'waiting' : 'solid';
    const neverExisted = this.#deleted && !this.#deleted.has(uid) && store.byUid(uid) === undefined;
    return neverExisted ? 'solid' : 'dangling';
  }

  #typeOf({ apiVersion, kind }: OwnerReference): ResourceType | undefined {
    const { registry } = this.#backend;
    if (this.#revision !== registry.revision) {
      this.#kinds = new Map(registry.all().map((type) => [kindKey(apiVersionOf(type), type.kind), type]));
      this.#revision = registry.revision;
    }
    return this.#kinds.get(kindKey(apiVersion, kind));
  }
}

/** Reports whether an object is being deleted in the foreground. */
export function waitsForDependents(owner: StoredObject): boolean {
  return owner.terminating && (parseStored(owner).metadata.finalizers ?? []).includes(FOREGROUND_FINALIZER);
}

function kindKey(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}

function coordinates({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): string {
  return JSON.stringify([apiVersion, kind, namespace, name, uid]);
}
