import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import { objectKeyText } from '../kinds/object.ts';
import { compareResourceVersions } from '../kinds/resource-version.ts';

/** Bookmarks of the server after which an expected change is not true. A bookmark has all changes before it. */
const BOOKMARKS = 3;

interface ExpectedChange {
  readonly key: ObjectKey;
  /** The version that the change stores, or the last known version before a deletion. */
  readonly version: string;
  readonly effect: Effect;
  /** Number of bookmarks before it. */
  readonly bookmarks: number;
}

/** The effect of a change: it stores a version, deletes the object or marks it for deletion, or removes the object. */
type Effect = 'version' | 'deletion' | 'removal';

const EFFECTS: readonly Effect[] = ['version', 'deletion', 'removal'];

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

/**
 * Changes that an informer has not received yet: writes of this process, and events that other informers of the kind have
 * delivered. It will receive each of them as an event of its watch.
 */
export class ExpectedChanges {
  /** Keyed by effect and object, so that no change replaces another one that the informer needs to receive, too. */
  readonly #changes = new Map<string, ExpectedChange>();
  /** The newest version that another informer has delivered, and the number of bookmarks before it. */
  #delivered: Pick<ExpectedChange, 'version' | 'bookmarks'> | undefined;
  #bookmarks = 0;
  /** How often all changes were removed. */
  #clears = 0;

  /**
   * Expects the object in this version or a newer one, or not at all if the write has removed it. Ignores versions that
   * cannot be compared.
   */
  written(object: DeepReadonly<KubernetesObject>, position: InformerPosition): void {
    const { namespace = '', name, resourceVersion: version } = object.metadata;
    this.#expect({ key: { namespace, name }, version, effect: isRemoved(object) ? 'removal' : 'version' }, position);
  }

  /** Expects the object to be deleted or marked for deletion. Ignores unknown objects. */
  deleted({ namespace = '', name }: ObjectKey, position: InformerPosition): void {
    const key = { namespace, name };
    // A pending write is newer than the cached version.
    const written = this.#changes.get(textOf('version', key))?.version;
    const version = written ?? position.store.resourceVersionOf(key) ?? '';
    this.#expect({ key, version, effect: 'deletion' }, position);
  }

  /** Expects the removal of an object whose last known version is `version`. Ignores objects that the store does not have. */
  removed({ namespace = '', name }: ObjectKey, version: string, position: InformerPosition): void {
    const key = { namespace, name };
    if (position.store.resourceVersionOf(key) === undefined) return;
    this.#expect({ key, version, effect: 'removal' }, position);
  }

  /** Expects the event of this version. Ignores versions that cannot be compared. */
  delivered(version: string, position: InformerPosition): void {
    if (!isComparable(version) || isAtLeast(position.version, version)) return;
    if (!isAtLeast(this.#delivered?.version, version)) this.#delivered = { version, bookmarks: this.#bookmarks };
  }

  /** Removes the changes that have arrived. */
  settle(position: InformerPosition): void {
    for (const [text, change] of this.#changes) if (hasArrived(change, position)) this.#changes.delete(text);
    if (this.#delivered && isAtLeast(position.version, this.#delivered.version)) this.#delivered = undefined;
  }

  /**
   * Counts a bookmark. Removes the changes that have not arrived although the server has sent several bookmarks since,
   * and returns their versions: the server, or the other informer's, has announced what does not exist.
   */
  bookmark(): readonly string[] {
    this.#bookmarks += 1;
    const isUntrue = ({ bookmarks }: Pick<ExpectedChange, 'bookmarks'>): boolean =>
      this.#bookmarks - bookmarks >= BOOKMARKS;
    const untrue: string[] = [];
    for (const [text, change] of this.#changes) {
      if (!isUntrue(change)) continue;
      untrue.push(change.version);
      this.#changes.delete(text);
    }
    if (!this.#delivered || !isUntrue(this.#delivered)) return untrue;
    untrue.push(this.#delivered.version);
    this.#delivered = undefined;
    return untrue;
  }

  /** Removes all changes: a server that was restored may never send them. */
  clear(): void {
    this.#changes.clear();
    this.#delivered = undefined;
    this.#clears += 1;
  }

  /** Reports whether a read of these objects must wait. */
  concerns({ namespace, name }: ReadTarget): boolean {
    if (this.#delivered !== undefined) return true;
    if (this.#changes.size === 0) return false;
    if (name !== undefined) {
      const key = { namespace: namespace ?? '', name };
      return EFFECTS.some((effect) => this.#changes.has(textOf(effect, key)));
    }
    if (!namespace) return true;
    for (const { key } of this.#changes.values()) if (key.namespace === namespace) return true;
    return false;
  }

  /**
   * Returns a function that reports whether the changes that concern a read have arrived. It ignores changes that are
   * expected later: a busy stream of events must not delay a read forever.
   */
  arrival({ namespace, name }: ReadTarget): (position: InformerPosition) => boolean {
    const concerned = [...this.#changes.values()].filter(
      ({ key }) => (!namespace || key.namespace === namespace) && (name === undefined || key.name === name),
    );
    const delivered = this.#delivered?.version;
    const clears = this.#clears;
    return (position) =>
      this.#clears > clears ||
      ((delivered === undefined || isAtLeast(position.version, delivered)) &&
        concerned.every((change) => hasArrived(change, position)));
  }

  #expect(expected: Omit<ExpectedChange, 'bookmarks'>, position: InformerPosition): void {
    const change = { ...expected, bookmarks: this.#bookmarks };
    const text = textOf(change.effect, change.key);
    if (!isComparable(change.version) || isAtLeast(this.#changes.get(text)?.version, change.version)) return;
    if (hasArrived(change, position)) this.#changes.delete(text);
    else this.#changes.set(text, change);
  }
}

/** Reports whether `version` is known to be equal to or newer than `than`. */
export function isAtLeast(version: string | undefined, than: string): boolean {
  const order = version === undefined ? undefined : compareResourceVersions(version, than);
  return order !== undefined && order >= 0;
}

function isComparable(version: string): boolean {
  return compareResourceVersions(version, version) !== undefined;
}

function textOf(effect: Effect, key: ObjectKey): string {
  return `${effect} ${objectKeyText(key)}`;
}

function hasArrived({ key, version, effect }: ExpectedChange, position: InformerPosition): boolean {
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
