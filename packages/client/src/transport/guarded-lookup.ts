import type { LookupFunction } from 'node:net';
import type { EndpointGuard } from '../config/endpoint-guard.ts';
import type { NameLookups } from '../dns/name-lookups.ts';
import { socketLookup } from '../dns/socket-lookup.ts';

/**
 * Resolves names to those of their addresses that `guard` allows. What is checked is what is connected to: a name whose
 * address changes in between gains nothing.
 *
 * @param refused makes the error for a name of which no address is left.
 */
export function guardedLookup(
  names: NameLookups,
  guard: EndpointGuard,
  refused: (reason: string) => Error,
): LookupFunction {
  return socketLookup(async (host) => {
    const addresses = await names.resolve(host);
    const allowed = addresses.filter(({ address }) => guard.refusal(host, address) === undefined);
    if (allowed.length > 0) return allowed;
    throw refused(guard.refusal(host, addresses[0]?.address) ?? 'it has no address');
  });
}
