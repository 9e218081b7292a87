import { createHash } from 'node:crypto';
import type { ResourceType } from '../resources/resource-type.ts';

/** Number of bytes of the hash that discovery shows. */
const SHOWN = 8;

/** Returns the hash of the version in which a resource is stored. (Upstream: `discovery.StorageVersionHash`.) */
export function storageVersionHash({ group, version, kind }: ResourceType): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, SHOWN).toString('base64');
}
