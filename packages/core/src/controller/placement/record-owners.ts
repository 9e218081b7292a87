import type { ObjectKey } from '@mcr/client';
import { objectKeyText } from '@mcr/client';
import type { FleetOwner } from '../../objects/fleet-owner/fleet-owner.ts';

/**
 * The owners of the records in the cache. Owners with the same key and different uids have records of their own: an owner was
 * deleted and created again.
 */
export class RecordOwners {
  /** Owners by the text of their key and the name of the record. */
  readonly #owners = new Map<string, Map<string, FleetOwner>>();

  add(owner: FleetOwner, record: string): void {
    const text = objectKeyText(owner);
    this.#owners.set(text, (this.#owners.get(text) ?? new Map<string, FleetOwner>()).set(record, owner));
  }

  delete(owner: FleetOwner, record: string): void {
    const text = objectKeyText(owner);
    const records = this.#owners.get(text);
    records?.delete(record);
    if (records?.size === 0) this.#owners.delete(text);
  }

  /** Returns the owners with a key, whose uid is another one. */
  outdated(key: ObjectKey, uid: string | undefined): FleetOwner[] {
    return [...(this.#owners.get(objectKeyText(key))?.values() ?? [])].filter((owner) => owner.uid !== uid);
  }
}
