import { badRequest, tooLargeResourceVersion } from '../status.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';

/** Time that a read waits for a version that the store has not reached, in milliseconds, as in the real watch cache. */
const FUTURE_VERSION_PATIENCE = 3_000;
const POLL_INTERVAL = 50;

/** Parses the `resourceVersion` of a query; unset is 0. @throws {StatusError} 400 if it is not a version. */
export function parseVersion(text: string): number {
  if (text === '') return 0;
  if (!/^\d{1,15}$/.test(text))
    throw badRequest(
      `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  return Number(text);
}

/** Resolves once the store has reached `version`. @throws {StatusError} 504 after 3 s. */
export async function untilVersion(store: ClusterStore, version: number): Promise<void> {
  for (let waited = 0; store.version < version; waited += POLL_INTERVAL) {
    if (waited >= FUTURE_VERSION_PATIENCE) throw tooLargeResourceVersion(version, store.version);
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
  }
}
