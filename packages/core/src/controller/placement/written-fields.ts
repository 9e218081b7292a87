import { compareResourceVersions } from '@mcr/client';

/** The fields of records that this process has written, and that the cache may not hold yet. */
export class WrittenFields {
  /** Versions of the writes, by record and field. */
  readonly #versions = new Map<string, Map<string, string>>();

  /** Records a write. @param version version of the record after it. */
  add(record: string, field: string, version: string): void {
    const fields = this.#versions.get(record) ?? new Map<string, string>();
    this.#versions.set(record, fields.set(field, version));
  }

  /** Reports whether the cached version of a record has the latest write of a field. Then the write is forgotten. */
  isHeld(record: string, field: string, cached: string | undefined): boolean {
    const fields = this.#versions.get(record);
    const version = fields?.get(field);
    if (!fields || version === undefined) return true;
    if (!isAtLeast(cached, version)) return false;
    fields.delete(field);
    if (fields.size === 0) this.#versions.delete(record);
    return true;
  }

  /** Forgets the writes that the cached version of a record has. */
  observed(record: string, cached: string): void {
    for (const field of [...(this.#versions.get(record)?.keys() ?? [])]) this.isHeld(record, field, cached);
  }

  /** Forgets the writes of a record. */
  forget(record: string): void {
    this.#versions.delete(record);
  }
}

/** Whether a version is known to be `other` or newer. */
function isAtLeast(version: string | undefined, other: string): boolean {
  return version !== undefined && (version === other || (compareResourceVersions(version, other) ?? -1) >= 0);
}
