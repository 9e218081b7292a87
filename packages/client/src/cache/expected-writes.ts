import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import { objectKeyText } from '../kinds/object.ts';
import { compareResourceVersions } from '../kinds/resource-version.ts';

interface ExpectedWrite {
  readonly key: ObjectKey;
  /** The version that was written, or the last known version before a deletion. */
  readonly version: string;
  readonly effect: WriteEffect;
}

/** The effect of a write: it stores a version, deletes the object or marks it for deletion, or removes a marked object. */
type WriteEffect = 'version' | 'deletion' | 'removal';

/** The versions of the objects in a store. No object is decoded. */
export interface HeldVersions {
  /** Returns the resource version of an object; `undefined` if the store does not have it. */
  resourceVersionOf(key: ObjectKey): string | undefined;
  /** Reports whether the store has the object, marked for deletion. */
  isDeleting(key: ObjectKey): boolean;
}

/** The current objects and version of an informer. */
export interface InformerPosition {
  readonly store: HeldVersions;
  readonly version: string | undefined;
}

/** The objects that a read concerns: one, those of a namespace, or all. */
export type ReadTarget = Partial<ObjectKey>;

/** Writes that an informer has not received yet. It will, because each write is an event of its watch. */
export class ExpectedWrites {
  readonly #byKey = new Map<string, ExpectedWrite>();

  /**
   * Expects the object in this version or a newer one, or not at all if the write has removed it. Ignores versions that
   * cannot be compared.
   */
  written(object: DeepReadonly<KubernetesObject>): void {
    const { namespace = '', name, resourceVersion: version } = object.metadata;
    this.#expect({ key: { namespace, name }, version, effect: isRemoved(object) ? 'removal' : 'version' });
  }

  /** Expects the object to be deleted or marked for deletion. Ignores unknown objects. */
  deleted({ namespace = '', name }: ObjectKey, { store }: InformerPosition): void {
    const written = this.#byKey.get(objectKeyText({ namespace, name }))?.version;
    const held = store.resourceVersionOf({ namespace, name });
    // A pending write is newer than the cached version.
    this.#expect({ key: { namespace, name }, version: written ?? held ?? '', effect: 'deletion' });
  }

  /** Removes the writes that have arrived. */
  settle(position: InformerPosition): void {
    for (const [text, write] of this.#byKey) if (hasArrived(write, position)) this.#byKey.delete(text);
  }

  /** Removes all writes: a server that was restored may never send them. */
  clear(): void {
    this.#byKey.clear();
  }

  /** Reports whether a write concerns the objects of a read. */
  concerns({ namespace, name }: ReadTarget): boolean {
    if (this.#byKey.size === 0) return false;
    if (name !== undefined) return this.#byKey.has(objectKeyText({ namespace: namespace ?? '', name }));
    if (!namespace) return true;
    for (const { key } of this.#byKey.values()) if (key.namespace === namespace) return true;
    return false;
  }

  #expect(write: ExpectedWrite): void {
    // Checks that the version is comparable.
    if (compareResourceVersions(write.version, write.version) === undefined) return;
    this.#byKey.set(objectKeyText(write.key), write);
  }
}

/** Reports whether `version` is known to be equal to or newer than `than`. */
export function isAtLeast(version: string | undefined, than: string): boolean {
  const order = version === undefined ? undefined : compareResourceVersions(version, than);
  return order !== undefined && order >= 0;
}

function hasArrived({ key, version, effect }: ExpectedWrite, position: InformerPosition): boolean {
  const held = position.store.resourceVersionOf(key);
  if (held === undefined || effect === 'version')
    return isAtLeast(position.version, version) || isAtLeast(held, version);
  if (held !== version && isAtLeast(held, version)) return true;
  return effect === 'deletion' && position.store.isDeleting(key);
}

/**
 * Reports whether the server has removed an object that a write returned: it was marked for deletion, and has no
 * finalizers and no grace period left. Its version is that before the write. (Upstream: kube-apiserver's
 * `ShouldDeleteDuringUpdate`.)
 */
function isRemoved({ apiVersion, kind, metadata }: DeepReadonly<KubernetesObject>): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = metadata;
  // A namespace also has finalizers in its spec.
  if (apiVersion === 'v1' && kind === 'Namespace') return false;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
}
