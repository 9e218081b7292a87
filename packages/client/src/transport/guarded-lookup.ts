import type { LookupFunction } from 'node:net';
import type { EndpointGuard } from '../config/endpoint-guard.ts';
import type { NameLookups } from '../dns/name-lookups.ts';
import { socketLookup } from '../dns/socket-lookup.ts';

/**
 * Creates a `lookup` that returns only addresses that `guard` allows. The socket connects to the checked addresses, so
 * a name whose address changes after the check gains nothing.
 *
 * @param refused creates the error for a name without allowed addresses.
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
