import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/**
 * Converts `resolve`, which returns all addresses of a name, to the `lookup` option of a socket, which may request one
 * family or one address.
 */
export function socketLookup(resolve: (name: string) => Promise<readonly LookupAddress[]>): LookupFunction {
  return (name, { all, family }, callback) => {
    resolve(name).then(
      (addresses) => {
        const wanted = addresses.filter((found) => !family || [found.family, `IPv${found.family}`].includes(family));
        const [first] = wanted;
        if (!first) callback(Object.assign(new Error('no address of this family'), { code: 'ENOTFOUND' }), []);
        else if (all) callback(null, wanted);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, []),
    );
  };
}
