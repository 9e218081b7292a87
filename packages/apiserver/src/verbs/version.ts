import { badRequest, tooLargeResourceVersion } from '../status.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import { unsignedFault } from './query-numbers.ts';

/** Time that a read waits for a version that the store has not reached, in milliseconds, as in the real watch cache. */
const FUTURE_VERSION_PATIENCE = 3_000;
const POLL_INTERVAL = 50;

/**
 * Parses the `resourceVersion` of a query; unset is 0. A version beyond 2^53 is rounded: no store reaches it.
 *
 * @throws {StatusError} 400 if it is not a version.
 */
export function parseVersion(text: string): number {
  if (text === '') return 0;
  const fault = unsignedFault(text);
  if (fault !== undefined) throw badRequest(`resourceVersion: Invalid value: ${JSON.stringify(text)}: ${fault}`);
  return Number(text);
}

/**
 * Resolves once the store has reached `version`.
 *
 * @param text version as the client sent it, for the error.
 * @throws {StatusError} 504 after 3 s.
 */
export async function untilVersion(store: ClusterStore, version: number, text = ''): Promise<void> {
  for (let waited = 0; store.version < version; waited += POLL_INTERVAL) {
    if (waited >= FUTURE_VERSION_PATIENCE) {
      throw tooLargeResourceVersion(Number.isSafeInteger(version) ? version : BigInt(text), store.version);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
  }
}
