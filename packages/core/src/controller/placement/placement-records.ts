import type { ConfigMap as ConfigMapObject, DeepReadonly, Informer, ObjectKey } from '@mcr/client';
import { ConfigMap, isAlreadyExists, isNotFound, objectKeyText } from '@mcr/client';
import type { Cluster } from '../../fleet/cluster/cluster.ts';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import type { FleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';
import { FLEET_OWNER_ANNOTATION, FLEET_OWNER_LABEL, fleetOwnerLabel } from '../../objects/fleet-owner/fleet-owner.ts';
import type { PlacementEntry } from './placement-record.ts';
import { entriesOf, entryOf, fieldOf, RECORD_LABEL, recordKey, textOf } from './placement-record.ts';

type Call = { readonly signal: AbortSignal };

/**
 * The records of a placement in the hub. The replica that serves a cluster writes the fields of that cluster, and no other
 * field, so that replicas never overwrite each other.
 */
export class PlacementRecords {
  readonly #controller: string;
  readonly #hub: Cluster;
  readonly #recordNamespace: string | undefined;
  /** Owners of the records in the cache, by the text of their key and the name of the record. */
  readonly #owners = new Map<string, Map<string, FleetOwner>>();
  /** Versions of own writes that the cache may not hold yet, by record and field. */
  readonly #written = new Map<string, Map<string, string>>();

  constructor(controller: string, hub: Cluster, recordNamespace: string | undefined) {
    this.#controller = controller;
    this.#hub = hub;
    this.#recordNamespace = recordNamespace;
  }

  /** The records that the cache holds. */
  get labelSelector(): string {
    return `${RECORD_LABEL}=${this.#controller}`;
  }

  keyOf(owner: FleetOwner): ObjectKey & { readonly namespace: string } {
    return recordKey(this.#controller, owner, this.#recordNamespace);
  }

  /** Returns the entries of an owner, from the cache. */
  async cached(owner: FleetOwner, { signal }: Call): Promise<PlacementEntry[]> {
    const informer = await this.#informer(signal);
    return entriesOf(informer.store.get(this.keyOf(owner)));
  }

  /** Returns the record of an owner, from the API server. */
  async live(owner: FleetOwner, call: Call): Promise<DeepReadonly<ConfigMapObject> | undefined> {
    return this.#hub.apiReader.find(ConfigMap, this.keyOf(owner), call);
  }

  /** Returns the entry of one cluster, from the cache, or from the API server if this process has changed it lately. */
  async entry(owner: FleetOwner, cluster: ClusterName, call: Call): Promise<PlacementEntry | undefined> {
    const key = this.keyOf(owner);
    const field = fieldOf(cluster);
    const cached = (await this.#informer(call.signal)).store.get(key);
    const version = this.#written.get(key.name)?.get(field);
    if (version === undefined) return entryOf(cached?.data?.[field]);
    if (isAtLeast(cached?.metadata.resourceVersion, version)) {
      this.#forget(key.name, field);
      return entryOf(cached?.data?.[field]);
    }
    return entryOf((await this.live(owner, call))?.data?.[field]);
  }

  /** Sets the entry of one cluster, and creates the record if it does not exist. */
  async set(owner: FleetOwner, entry: PlacementEntry, call: Call): Promise<void> {
    const field = fieldOf(entry.cluster);
    const data = { [field]: textOf(entry) };
    const { client } = this.#hub;
    const key = this.keyOf(owner);
    const patch = () => client.patch(ConfigMap, key, { data }, 'merge', call);
    const written = await patch().catch(async (error: unknown) => {
      if (!isNotFound(error)) throw error;
      const metadata = {
        ...key,
        labels: { [RECORD_LABEL]: this.#controller, [FLEET_OWNER_LABEL]: fleetOwnerLabel(owner) },
        annotations: { [FLEET_OWNER_ANNOTATION]: JSON.stringify(owner) },
      };
      return client.create(ConfigMap, { metadata, data }, call).catch((failure: unknown) => {
        if (isAlreadyExists(failure)) return patch();
        throw failure;
      });
    });
    this.#remember(key.name, field, written.metadata.resourceVersion);
  }

  /** Removes the entry of one cluster, because the cluster has no objects of the owner. */
  async remove(owner: FleetOwner, cluster: ClusterName, call: Call): Promise<void> {
    const key = this.keyOf(owner);
    const field = fieldOf(cluster);
    try {
      const written = await this.#hub.client.patch(ConfigMap, key, { data: { [field]: null } }, 'merge', call);
      this.#remember(key.name, field, written.metadata.resourceVersion);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Deletes a record, unless it has changed since it was read. */
  async delete({ metadata }: DeepReadonly<ConfigMapObject>, call: Call): Promise<void> {
    const { uid, resourceVersion } = metadata;
    try {
      await this.#hub.client.delete(ConfigMap, metadata, { preconditions: { uid, resourceVersion }, ...call });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#written.delete(metadata.name);
  }

  /** Deletes the records of earlier owners with this key, whose uid is another one. */
  async deleteOutdated(key: ObjectKey, uid: string | undefined, call: Call): Promise<void> {
    for (const owner of [...(this.#owners.get(objectKeyText(key))?.values() ?? [])]) {
      if (owner.uid === uid) continue;
      const record = await this.live(owner, call);
      if (record) await this.delete(record, call);
    }
  }

  /** Records that the cache no longer holds the record of an owner. */
  gone(owner: FleetOwner, name: string): void {
    const text = objectKeyText(owner);
    const records = this.#owners.get(text);
    records?.delete(name);
    if (records?.size === 0) this.#owners.delete(text);
  }

  /** Records that the cache holds a version of the record of an owner. */
  observed(
    owner: FleetOwner,
    { name, resourceVersion }: { readonly name: string; readonly resourceVersion: string },
  ): void {
    const text = objectKeyText(owner);
    this.#owners.set(text, (this.#owners.get(text) ?? new Map<string, FleetOwner>()).set(name, owner));
    for (const [field, version] of this.#written.get(name) ?? []) {
      if (isAtLeast(resourceVersion, version)) this.#forget(name, field);
    }
  }

  async #informer(signal: AbortSignal): Promise<Informer<ConfigMapObject>> {
    const informer = await this.#hub.cache.informer(ConfigMap, { labelSelector: this.labelSelector });
    await informer.waitForSync(signal);
    return informer;
  }

  #remember(name: string, field: string, version: string): void {
    const fields = this.#written.get(name) ?? new Map<string, string>();
    this.#written.set(name, fields.set(field, version));
  }

  #forget(name: string, field: string): void {
    const fields = this.#written.get(name);
    fields?.delete(field);
    if (fields?.size === 0) this.#written.delete(name);
  }
}

/** Whether a version is known to be `other` or newer. Versions of one resource are comparable integers (KEP-5504). */
function isAtLeast(version: string | undefined, other: string): boolean {
  if (version === other) return true;
  return version !== undefined && /^\d+$/.test(version) && /^\d+$/.test(other) && BigInt(version) >= BigInt(other);
}
