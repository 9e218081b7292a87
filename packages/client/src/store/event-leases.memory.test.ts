import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { collections } from '../garbage/collections.ts';
import { ConfigMap } from '../kinds/builtin.ts';
import { blockOf } from './entry.fixture.ts';
import { EventLease } from './event-lease.ts';
import { EventLeases } from './event-leases.ts';
import { ObjectDecoder } from './object-decoder.ts';
import { PackedObject } from './packed-object.ts';

const source = { decoder: new ObjectDecoder({ kind: ConfigMap, freeze: true }), held: () => undefined };

describe('EventLeases without memory', () => {
  // Before the first lease, because all leases of the process share a timer.
  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(collections, 'collectedAt', 'get').mockReturnValue(Infinity);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('PC-10: copies the objects of kept events when there is memory again, and reports the failure once', async () => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const detach = jest.spyOn(EventLease.prototype, 'detach');
    for (let failure = 0; failure < 2; failure += 1) {
      detach.mockImplementationOnce(() => {
        throw new RangeError('out of memory');
      });
    }
    const leases = new EventLeases();
    const block = blockOf([{ metadata: { name: 'web', uid: 'u', resourceVersion: '1' } }]);
    const object = new PackedObject(source, block, 0, leases.leaseFor(block, 0));
    await jest.advanceTimersByTimeAsync(30_000);
    expect(detach).toHaveBeenCalledTimes(3);
    expect(leases.isEmpty).toBe(true);
    block.bytes.fill(0);
    expect(object.object.metadata.name).toBe('web');
    const warnings = emitWarning.mock.calls.map(([warning]) => warning);
    expect(warnings).toEqual(['copying the objects of kept events failed: out of memory']);
  });
});
