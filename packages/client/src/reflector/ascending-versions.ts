import { ENVELOPE, ENVELOPE_SIZE, type PackedBatch } from '../packed/packed-batch.ts';

const ZERO = 0x30;
const ONE = 0x31;
const NINE = 0x39;

export interface Ascent {
  /** The objects before the first one whose version is older than the version before it. */
  readonly batch: PackedBatch;
  /** Version of the last of them. */
  readonly version: string;
  /** The version that went back, if there is one. */
  readonly next: string | undefined;
}

/**
 * Follows the resource versions of a batch of changes. Compares them as `compareResourceVersions` does, but without a
 * string for each object.
 *
 * @param from version before the batch.
 */
export function ascending(batch: PackedBatch, from: string): Ascent {
  let before: Text = { bytes: Buffer.from(from), start: 0, end: Buffer.byteLength(from) };
  for (let index = 0; index < batch.length; index += 1) {
    const version = versionText(batch, index);
    if (isOlder(version, before)) {
      const part = { bytes: batch.bytes, envelopes: batch.envelopes, length: index };
      return { batch: part, version: textOf(before), next: textOf(version) };
    }
    before = version;
  }
  return { batch, version: textOf(before), next: undefined };
}

/** Returns the resource version of an object of a batch; `''` if it has none. */
export function versionAt(batch: PackedBatch, index: number): string {
  return textOf(versionText(batch, index));
}

interface Text {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

function versionText({ bytes, envelopes }: PackedBatch, index: number): Text {
  const at = index * ENVELOPE_SIZE + ENVELOPE.resourceVersion;
  return { bytes, start: envelopes[at] as number, end: envelopes[at + 1] as number };
}

function textOf({ bytes, start, end }: Text): string {
  return bytes.toString('utf8', start, end);
}

function isOlder(version: Text, than: Text): boolean {
  if (!isComparable(version) || !isComparable(than)) return false;
  const longer = version.end - version.start - (than.end - than.start);
  if (longer !== 0) return longer < 0;
  return version.bytes.compare(than.bytes, than.start, than.end, version.start, version.end) < 0;
}

/** Reports whether a version is a decimal number without leading zeros. */
function isComparable({ bytes, start, end }: Text): boolean {
  if (start === end || (bytes[start] as number) < ONE) return false;
  for (let at = start; at < end; at += 1) {
    const digit = bytes[at] as number;
    if (digit < ZERO || digit > NINE) return false;
  }
  return true;
}
