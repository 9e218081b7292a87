import type {
  ConfigMap as ConfigMapObject,
  DeepReadonly,
  Informer,
  Kind,
  KubernetesObject,
  ObjectKey,
} from '@mcr/client';
import { ConfigMap, isAlreadyExists, isConflict, isNotFound, parseApiVersion } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { FleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';
import {
  FLEET_OWNER_ANNOTATION,
  FLEET_OWNER_LABEL,
  fleetOwnerLabel,
  fleetOwnerOf,
} from '../../objects/fleet-owner/fleet-owner.ts';
import { MissingRecordError } from './missing-record-error.ts';
import { messageLimit, withoutMiddle } from './placement-message.ts';
import type { PlacementEntry } from './placement-record.ts';
import {
  entryOf,
  fieldOf,
  fieldsOf,
  RECORD_LABEL,
  REBUILT_ANNOTATION,
  recordKey,
  textOf,
  unusedFields,
} from './placement-record.ts';
import { RecordOwners } from './record-owners.ts';
import { WrittenFields } from './written-fields.ts';

type Call = { readonly signal: AbortSignal };
type Record = DeepReadonly<ConfigMapObject>;

export interface PlacementRecordsOptions {
  readonly controller: string;
  readonly hub: Cluster;
  /** Kind of the owners. */
  readonly kind: Kind<KubernetesObject>;
  /** Finalizer of owners and records. */
  readonly finalizer: string;
  readonly recordNamespace: string | undefined;
}

/**
 * The records of a placement in the hub. The replica that serves a cluster writes the field of that cluster, and adds
 * the field with its object names, which clusters with the same names share. So replicas never overwrite each other. The replica that has the request of the owner creates and deletes the
 * record. A record has a finalizer, so that it exists as long as its owner has one.
 */
export class PlacementRecords {
  readonly #options: PlacementRecordsOptions;
  readonly #hub: Cluster;
  readonly #owners = new RecordOwners();
  readonly #written = new WrittenFields();
  /** Clusters without objects, by the name of a record that replaces a lost one. */
  readonly #searched = new Map<string, Set<ClusterName>>();

  constructor(options: PlacementRecordsOptions) {
    this.#options = options;
    this.#hub = options.hub;
  }

  /** The records that the cache holds. */
  get labelSelector(): string {
    return `${RECORD_LABEL}=${this.#options.controller}`;
  }

  keyOf(owner: FleetOwner): ObjectKey & { readonly namespace: string } {
    return recordKey(this.#options.controller, owner, this.#options.recordNamespace);
  }

  /**
   * Returns the owner of a record, or `undefined` if the object is not the record of the owner that it names: everyone who
   * may write ConfigMaps in one namespace can name an owner in another one.
   */
  ownerOf(record: Pick<Record, 'metadata'>): FleetOwner | undefined {
    const { kind, recordNamespace } = this.#options;
    const owner = fleetOwnerOf(record);
    if (owner?.kind !== kind.kind || groupOf(owner) !== groupOf(kind)) return undefined;
    if (owner.namespace === '' && recordNamespace === undefined) return undefined;
    if (kind.scope !== undefined && (kind.scope === 'Cluster') !== (owner.namespace === '')) return undefined;
    const { namespace, name } = this.keyOf(owner);
    return record.metadata.namespace === namespace && record.metadata.name === name ? owner : undefined;
  }

  /** Returns the record of an owner, from the cache. */
  async cached(owner: FleetOwner, { signal }: Call): Promise<Record | undefined> {
    return (await this.#informer(signal)).store.get(this.keyOf(owner));
  }

  /** Returns the record of an owner, from the API server. */
  async live(owner: FleetOwner, call: Call): Promise<Record | undefined> {
    return this.#hub.apiReader.find(ConfigMap, this.keyOf(owner), call);
  }

  /** Returns the entry of one cluster, from the cache, or from the API server if this process has changed it lately. */
  async entry(owner: FleetOwner, cluster: ClusterName, call: Call): Promise<PlacementEntry | undefined> {
    const { name } = this.keyOf(owner);
    const field = fieldOf(cluster);
    const cached = await this.cached(owner, call);
    const isCurrent = this.#written.isHeld(name, field, cached?.metadata.resourceVersion);
    return this.#entryIn(isCurrent ? cached : await this.live(owner, call), cluster);
  }

  /** Returns the entry of one cluster and the uid of the record, from the API server; `undefined` if there is no record. */
  async liveEntry(
    owner: FleetOwner,
    cluster: ClusterName,
    call: Call,
  ): Promise<{ readonly entry: PlacementEntry | undefined; readonly record: string } | undefined> {
    const record = await this.live(owner, call);
    return record && { entry: this.#entryIn(record, cluster), record: record.metadata.uid };
  }

  #entryIn(record: Record | undefined, cluster: ClusterName): PlacementEntry | undefined {
    const entry = entryOf(record, cluster);
    if (entry || !record || !isRebuilt(record)) return entry;
    if (this.#searched.get(record.metadata.name)?.has(cluster)) return undefined;
    return { cluster, state: 'Placing', observedGeneration: '' };
  }

  /**
   * Creates the record of an owner, or completes its metadata.
   *
   * @param options.lost entries of the clusters that may have objects, if the earlier record was lost.
   */
  async ensure(
    owner: FleetOwner,
    present: Record | undefined,
    { lost, signal }: Call & { readonly lost?: readonly PlacementEntry[] },
  ): Promise<void> {
    const { controller, finalizer } = this.#options;
    const labels = { [RECORD_LABEL]: controller, [FLEET_OWNER_LABEL]: fleetOwnerLabel(owner) };
    const annotations = {
      [FLEET_OWNER_ANNOTATION]: JSON.stringify(owner),
      ...(lost && { [REBUILT_ANNOTATION]: 'true' }),
    };
    if (!present) {
      const data = Object.assign({}, ...(lost ?? []).map(fieldsOf)) as { [field: string]: string };
      const metadata = { ...this.keyOf(owner), labels, annotations, finalizers: [finalizer] };
      try {
        await this.#hub.client.create(ConfigMap, { metadata, data }, { signal });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        // Completed by the request that its event causes.
      }
      return;
    }
    const { metadata } = present;
    const { finalizers = [], resourceVersion, uid, deletionTimestamp } = metadata;
    // An API server accepts no further finalizer of an object that is being deleted.
    const isKept = finalizers.includes(finalizer) || deletionTimestamp !== undefined;
    if (isKept && hasAll(metadata.labels, labels) && hasAll(metadata.annotations, annotations)) return;
    const next = isKept ? finalizers : [...finalizers, finalizer];
    const patch = { metadata: { labels, annotations, finalizers: next, resourceVersion, uid } };
    await this.#hub.client.patch(ConfigMap, this.keyOf(owner), patch, 'merge', { signal });
  }

  /**
   * Sets the entry of one cluster. It shortens the message to the room of the record.
   *
   * @param options.present the entry in the record; nothing is written if it is the same. Default: not known.
   * @param options.record uid of the record that the entry is based on. Default: any.
   * @throws {MissingRecordError} if the record does not exist.
   */
  async set(
    owner: FleetOwner,
    entry: PlacementEntry,
    {
      record,
      present,
      ...call
    }: Call & { readonly record?: string | undefined; readonly present?: PlacementEntry | undefined },
  ): Promise<void> {
    const key = this.keyOf(owner);
    const next = await this.#fitted(owner, entry, call);
    if (present && textOf(present) === textOf(next)) return;
    const patch = { data: fieldsOf(next), ...(record !== undefined && { metadata: { uid: record } }) };
    try {
      const written = await this.#hub.client.patch(ConfigMap, key, patch, 'merge', call);
      this.#written.add(key.name, fieldOf(entry.cluster), written.metadata.resourceVersion);
    } catch (error) {
      // A conflict: the record was lost and created again, so that it says nothing about this cluster.
      if (!isNotFound(error) && !isConflict(error)) throw error;
      throw new MissingRecordError(key, { cause: error });
    }
  }

  async #fitted(owner: FleetOwner, entry: PlacementEntry, call: Call): Promise<PlacementEntry> {
    if (entry.message === undefined) return entry;
    const { length } = Object.keys((await this.cached(owner, call))?.data ?? {});
    return { ...entry, message: withoutMiddle(entry.message, messageLimit(length)) };
  }

  /** Removes the entry of one cluster, because the cluster has no objects of the owner. */
  async remove(owner: FleetOwner, cluster: ClusterName, call: Call): Promise<void> {
    const key = this.keyOf(owner);
    const field = fieldOf(cluster);
    try {
      const written = await this.#hub.client.patch(ConfigMap, key, { data: { [field]: null } }, 'merge', call);
      this.#written.add(key.name, field, written.metadata.resourceVersion);
      if (!isRebuilt(written)) return;
      this.#searched.set(key.name, (this.#searched.get(key.name) ?? new Set<ClusterName>()).add(cluster));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Removes the names of objects that no cluster has any more. */
  async compact(record: Record, call: Call): Promise<void> {
    const unused = unusedFields(record);
    if (unused.length === 0) return;
    const { uid, resourceVersion, namespace = '', name } = record.metadata;
    const data = Object.fromEntries(unused.map((field) => [field, null]));
    try {
      // A replica that refers to the names meanwhile changes the version. Then its event causes the next attempt.
      const patch = { metadata: { uid, resourceVersion }, data };
      await this.#hub.client.patch(ConfigMap, { namespace, name }, patch, 'merge', call);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  /** Deletes a record, unless it has changed since it was read. */
  async delete({ metadata }: Record, call: Call): Promise<void> {
    const { uid, resourceVersion, namespace = '', name, finalizers = [] } = metadata;
    const { client } = this.#hub;
    const others = finalizers.filter((finalizer) => finalizer !== this.#options.finalizer);
    try {
      let version = resourceVersion;
      if (others.length < finalizers.length) {
        const patch = { metadata: { finalizers: others, uid, resourceVersion } };
        version = (await client.patch(ConfigMap, { namespace, name }, patch, 'merge', call)).metadata.resourceVersion;
      }
      if (metadata.deletionTimestamp === undefined) {
        const preconditions = { uid, resourceVersion: version };
        await client.delete(ConfigMap, { namespace, name }, { preconditions, ...call });
      }
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#written.forget(name);
    this.#searched.delete(name);
  }

  /** Returns the owners of cached records with a key, whose uid is another one. */
  outdated(key: ObjectKey, uid: string | undefined): FleetOwner[] {
    return this.#owners.outdated(key, uid);
  }

  /** Records that the cache no longer holds the record of an owner. */
  gone(owner: FleetOwner, name: string): void {
    this.#owners.delete(owner, name);
    this.#searched.delete(name);
  }

  /** Records that the cache holds a version of the record of an owner. */
  observed(
    owner: FleetOwner,
    { name, resourceVersion }: { readonly name: string; readonly resourceVersion: string },
  ): void {
    this.#owners.add(owner, name);
    this.#written.observed(name, resourceVersion);
  }

  async #informer(signal: AbortSignal): Promise<Informer<ConfigMapObject>> {
    const informer = await this.#hub.cache.informer(ConfigMap, { labelSelector: this.labelSelector });
    await informer.waitForSync(signal);
    return informer;
  }
}

/** Whether a record replaces a lost one, so that a cluster without an entry may have objects. */
export function isRebuilt({ metadata }: Pick<Record, 'metadata'>): boolean {
  return metadata.annotations?.[REBUILT_ANNOTATION] !== undefined;
}

function groupOf({ apiVersion }: { readonly apiVersion: string }): string {
  return parseApiVersion(apiVersion).group;
}

function hasAll(
  present: Readonly<{ [key: string]: string }> | undefined,
  expected: { [key: string]: string },
): boolean {
  return Object.entries(expected).every(([key, value]) => present?.[key] === value);
}
