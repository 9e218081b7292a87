import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { EndpointGuard } from '../config/endpoint-guard.ts';

/**
 * Resolves names to those of their addresses that `guard` allows. What is checked is what is connected to: a name whose
 * address changes in between gains nothing.
 *
 * @param refused makes the error for a name of which no address is left.
 */
export function guardedLookup(guard: EndpointGuard, refused: (reason: string) => Error): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) {
        callback(error, []);
        return;
      }
      const allowed = addresses.filter(({ address }) => guard.refusal(host, address) === undefined);
      const [first] = allowed;
      if (!first) callback(refused(guard.refusal(host, addresses[0]?.address) ?? 'it has no address'), []);
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
