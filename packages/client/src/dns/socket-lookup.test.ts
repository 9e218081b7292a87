import type { LookupAddress, LookupOptions } from 'node:dns';
import { describe, expect, it } from '@jest/globals';
import { socketLookup } from './socket-lookup.ts';

const IPV6 = { address: 'fd00::1', family: 6 } as const;
const IPV4 = { address: '10.0.0.1', family: 4 } as const;

/** Returns the arguments of the callback. */
function lookupResults(options: LookupOptions, resolve: () => Promise<readonly LookupAddress[]>): Promise<unknown[]> {
  return new Promise((settle) => socketLookup(resolve)('eu.test', options, (...results) => settle(results)));
}

describe('socketLookup', () => {
  it.each([
    [{ all: true }, [null, [IPV6, IPV4]]],
    [{ all: true, family: 0 }, [null, [IPV6, IPV4]]],
    [{ all: true, family: 4 }, [null, [IPV4]]],
    [{ all: true, family: 6 }, [null, [IPV6]]],
    [{ all: true, family: 'IPv4' }, [null, [IPV4]]],
    [{}, [null, 'fd00::1', 6]],
    [{ family: 4 }, [null, '10.0.0.1', 4]],
    [{ family: 'IPv6' }, [null, 'fd00::1', 6]],
  ] satisfies [LookupOptions, unknown[]][])('F-12: with %j returns %j', async (options, expected) => {
    expect(await lookupResults(options, () => Promise.resolve([IPV6, IPV4]))).toEqual(expected);
  });

  it('F-12: fails as the system does if a name has no address of the family', async () => {
    const [error] = await lookupResults({ family: 6 }, () => Promise.resolve([IPV4]));
    expect(error).toMatchObject({ code: 'ENOTFOUND' });
  });

  it('F-12: passes errors to the callback', async () => {
    const failure = new Error('EAI_AGAIN');
    expect(await lookupResults({ all: true }, () => Promise.reject(failure))).toEqual([failure, []]);
  });
});
