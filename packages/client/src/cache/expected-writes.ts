import type { DeepReadonly, KubernetesObject, ObjectKey } from '../kinds/object.ts';
import { objectKeyText } from '../kinds/object.ts';
import { compareResourceVersions } from '../kinds/resource-version.ts';
import type { ReadonlyStore } from './informer.ts';

interface ExpectedWrite {
  readonly key: ObjectKey;
  /** Of the object as it was written, or as it was last known before it was deleted. */
  readonly version: string;
  readonly isDeletion: boolean;
}

/** Where an informer has come to. */
export interface InformerPosition {
  readonly store: ReadonlyStore<KubernetesObject>;
  readonly version: string | undefined;
}

/** Which objects a read is about: one, those of a namespace, or all. */
export type ReadTarget = Partial<ObjectKey>;

/** Writes of which an informer has not been told yet. It will be: each write is an event of its watch. */
export class ExpectedWrites {
  readonly #byKey = new Map<string, ExpectedWrite>();

  /** Until that version of the object, or a newer one. Nothing is expected of versions that have no order. */
  written({ metadata: { namespace = '', name, resourceVersion } }: DeepReadonly<KubernetesObject>): void {
    this.#expect({ key: { namespace, name }, version: resourceVersion, isDeletion: false });
  }

  /** Until the object is gone, or marked to go. Nothing is expected when it was not known. */
  deleted({ namespace = '', name }: ObjectKey, { store }: InformerPosition): void {
    const written = this.#byKey.get(objectKeyText({ namespace, name }))?.version;
    const held = store.get({ namespace, name })?.metadata.resourceVersion;
    // What is still expected is newer than what is held.
    this.#expect({ key: { namespace, name }, version: written ?? held ?? '', isDeletion: true });
  }

  /** Forgets those that have come. */
  settle(position: InformerPosition): void {
    for (const [text, write] of this.#byKey) if (hasCome(write, position)) this.#byKey.delete(text);
  }

  /** A server that has been restored may never tell of them. */
  clear(): void {
    this.#byKey.clear();
  }

  /** Whether any is among what is read. */
  concern({ namespace, name }: ReadTarget): boolean {
    if (this.#byKey.size === 0) return false;
    if (name !== undefined) return this.#byKey.has(objectKeyText({ namespace: namespace ?? '', name }));
    if (!namespace) return true;
    for (const { key } of this.#byKey.values()) if (key.namespace === namespace) return true;
    return false;
  }

  #expect(write: ExpectedWrite): void {
    // Comparable with itself.
    if (compareResourceVersions(write.version, write.version) === undefined) return;
    this.#byKey.set(objectKeyText(write.key), write);
  }
}

/** Whether `version` is not older than `than`; `false` where that is not known. */
export function isAtLeast(version: string | undefined, than: string): boolean {
  const order = version === undefined ? undefined : compareResourceVersions(version, than);
  return order !== undefined && order >= 0;
}

function hasCome({ key, version, isDeletion }: ExpectedWrite, position: InformerPosition): boolean {
  const held = position.store.get(key)?.metadata;
  if (!held || !isDeletion) return isAtLeast(position.version, version) || isAtLeast(held?.resourceVersion, version);
  const isNewer = held.resourceVersion !== version && isAtLeast(held.resourceVersion, version);
  return isNewer || held.deletionTimestamp !== undefined;
}
