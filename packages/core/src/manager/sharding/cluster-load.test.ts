import { describe, expect, it } from '@jest/globals';
import type { LogFields } from '@mcr/client';
import { silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { ClusterStatus } from '../../fleet/status/fleet.ts';
import { createFleet } from '../../fleet/status/create-fleet.ts';
import { clusterLoad } from './cluster-load.ts';

function setUp(loadOf: (status: ClusterStatus) => number) {
  const errors: (readonly [string, LogFields | undefined])[] = [];
  const fleet = createFleet({ clock: new VirtualClock() });
  fleet.recorder.phase('eu-1', 'Engaged', 'all sources have synced');
  const logger = {
    ...silentLogger,
    error: (message: string, fields?: LogFields) => void errors.push([message, fields]),
  };
  return { errors, load: clusterLoad({ loadOf, fleet: () => fleet, logger }) };
}

describe('the load of a cluster', () => {
  it('SH-8: is what loadOf returns for its status, and 1 for a cluster without a status', () => {
    const { load, errors } = setUp(({ name }) => name.length * 10);
    expect([load('eu-1'), load('unknown'), errors]).toEqual([40, 1, []]);
  });

  it.each<[string, () => number]>([
    ['it must return a number of 0 or more, found -1', () => -1],
    ['it must return a number of 0 or more, found NaN', () => Number.NaN],
    ['it must return a number of 0 or more, found a string', () => '3' as unknown as number],
    [
      'it threw',
      () => {
        throw new Error('oh');
      },
    ],
  ])('SH-8: is 1 if loadOf fails, which is logged once: %s', (problem, loadOf) => {
    const { load, errors } = setUp(loadOf);
    expect([load('eu-1'), load('eu-1')]).toEqual([1, 1]);
    expect(errors).toEqual([
      ['sharding.loadOf failed, counting the cluster as 1', expect.objectContaining({ cluster: 'eu-1', problem })],
    ]);
  });
});
