import { describe, expect, it } from '@jest/globals';
import { parseOptions } from '@mcr/client';
import * as z from 'zod';
import { DEFAULT_RULES } from './membership/rules.ts';
import { replicaOfHost, resolveSharding, shardingSchema, shutdownTime } from './sharding-options.ts';

const managerSchema = z.strictObject({ sharding: shardingSchema });

/** Returns the error of `createManager`. */
function refusalOf(sharding: unknown): string {
  try {
    parseOptions('createManager', managerSchema, { sharding });
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
}

describe('the options of sharding', () => {
  const name = 'config-copier';

  it('has defaults for all but the name', () => {
    expect(refusalOf({ name })).toBe('accepted');
    const config = resolveSharding({ name, namespace: 'fleet' });
    expect(config).toMatchObject({
      group: { name, namespace: 'fleet', slots: 1_024 },
      weight: 1,
      rules: DEFAULT_RULES,
    });
    expect(config.replicaId).toBe(replicaOfHost());
    expect(shutdownTime(config)).toBe(75_000);
  });

  it('takes what is given', () => {
    const options = {
      name,
      namespace: 'fleet',
      replicaId: 'copier-1.eu',
      slots: 64,
      leaseDuration: 6_000,
      renewInterval: 1_000,
      margin: 2_000,
      drainTimeout: 3_000,
      warmTimeout: 4_000,
      writeDeadline: 2_000,
      weight: 0,
    };
    expect(refusalOf(options)).toBe('accepted');
    const config = resolveSharding(options);
    expect(config).toMatchObject({
      group: { name, namespace: 'fleet', slots: 64 },
      replicaId: 'copier-1.eu',
      weight: 0,
      rules: {
        leaseDuration: 6_000,
        renewInterval: 1_000,
        margin: 2_000,
        drainTimeout: 3_000,
        warmTimeout: 4_000,
        writeDeadline: 2_000,
        // Neither takes longer than the time between two renewals.
        requestDeadline: 1_000,
        retryInterval: 1_000,
      },
    });
    expect(shutdownTime(config)).toBe(12_000);
  });

  const refused: Record<string, { readonly given: Record<string, unknown>; readonly says: RegExp }> = {
    'no name': { given: { name: undefined }, says: /"sharding\.name".*1 to 63 lower-case letters.*"config-copier"/u },
    'a name with upper case': { given: { name: 'Copier' }, says: /"sharding\.name".*lower-case/u },
    'a long name': { given: { name: 'x'.repeat(64) }, says: /"sharding\.name".*1 to 63/u },
    'a name with a dot': { given: { name: 'a.b' }, says: /"sharding\.name"/u },
    'an empty namespace': { given: { namespace: '' }, says: /"sharding\.namespace"/u },
    'a replica with spaces': { given: { replicaId: 'a b' }, says: /"sharding\.replicaId".*such as "replica-1"/u },
    'a replica with two dots in a row': { given: { replicaId: 'a..b' }, says: /"sharding\.replicaId"/u },
    'a replica with a hyphen before a dot': { given: { replicaId: 'a-.b' }, says: /"sharding\.replicaId"/u },
    'a long replica': { given: { replicaId: 'a'.repeat(101) }, says: /"sharding\.replicaId".*1 to 100/u },
    'slots that are not a power of two': {
      given: { slots: 1_000 },
      says: /"sharding\.slots".*power of two from 1 to 4096, found 1000$/u,
    },
    'no slots': { given: { slots: 0 }, says: /"sharding\.slots".*power of two/u },
    'slots that are a text': { given: { slots: '8' }, says: /"sharding\.slots".*power of two.*found a string$/u },
    'a wrong margin, without a consequence of it': {
      given: { margin: -1, leaseDuration: 3_000 },
      says: /^createManager: option "sharding\.margin": expected a number of milliseconds greater than 0, found -1$/u,
    },
    'half a slot': { given: { slots: 0.5 }, says: /"sharding\.slots".*power of two/u },
    'too many slots': { given: { slots: 8_192 }, says: /"sharding\.slots".*to 4096/u },
    'a negative duration': { given: { drainTimeout: -1 }, says: /"sharding\.drainTimeout"/u },
    'an endless duration': { given: { warmTimeout: Infinity }, says: /"sharding\.warmTimeout"/u },
    'a negative weight': { given: { weight: -1 }, says: /"sharding\.weight".*0 or more/u },
    'a weight of NaN': { given: { weight: Number.NaN }, says: /"sharding\.weight".*a number/u },
    'a load that is not a function': { given: { loadOf: 3 }, says: /"sharding\.loadOf": expected a function/u },
    'an unknown option': { given: { leaseDurations: 1 }, says: /leaseDurations/u },
    'a lease that one failed renewal ends': {
      given: { leaseDuration: 10_000 },
      says: /"sharding\.leaseDuration".*at least margin \+ 2 × renewInterval \+ 2000 ms = 11000 ms.*found 10000 ms/u,
    },
    'a lease longer than a day': {
      given: { leaseDuration: 90_000_000 },
      says: /"sharding\.leaseDuration": expected at most 86400000 ms, found 90000000/u,
    },
    'a warmTimeout beyond the range of timers': { given: { warmTimeout: 1e12 }, says: /"sharding\.warmTimeout"/u },
    'renewals without a pause': {
      given: { renewInterval: 0 },
      says: /^createManager: option "sharding\.renewInterval": expected a number of milliseconds of at least 100, found 0$/u,
    },
    'a weight above the maximum': {
      given: { weight: 2_000_000 },
      says: /"sharding\.weight": expected at most 1000000, found 2000000$/u,
    },
    'a margin longer than the lease': { given: { margin: 20_000 }, says: /"sharding\.leaseDuration".*28000 ms/u },
    'a margin too small for the write deadline': {
      given: { margin: 2_500 },
      says: /"sharding\.margin": expected more, found 2500 ms: 4760 ms pass.* writeDeadline of 5000 ms needs 5500 ms\. Raise sharding\.margin to 2870 ms, or lower sharding\.writeDeadline$/u,
    },
    'a write deadline too long for the margin': {
      given: { writeDeadline: 5_500 },
      says: /"sharding\.writeDeadline": expected less, found 5500 ms: 5760 ms pass.* needs 6000 ms\. Raise sharding\.margin to 3120 ms, or lower/u,
    },
  };

  for (const [what, { given, says }] of Object.entries(refused)) {
    it(`refuses ${what}, and says what to do`, () => {
      expect(refusalOf({ name, ...given })).toMatch(says);
    });
  }

  it('accepts the smallest gap that the write deadline allows', () => {
    expect(refusalOf({ name, writeDeadline: 5_260 })).toBe('accepted');
    expect(refusalOf({ name, writeDeadline: 5_261 })).toMatch(/"sharding\.writeDeadline"/u);
  });

  it.each([2_500, 1_000])('accepts the margin that it names instead of one of %d ms', (margin) => {
    const needed = Number(/Raise sharding\.margin to (\d+) ms/u.exec(refusalOf({ name, margin }))?.[1]);
    expect(refusalOf({ name, margin: needed })).toBe('accepted');
    expect(refusalOf({ name, margin: needed - 1 })).toContain(`to ${needed} ms`);
  });

  it('names the option for the namespace outside of a Pod', () => {
    expect(() => resolveSharding({ name })).toThrow(/"sharding\.namespace": expected the namespace/u);
  });

  const hosts: Record<string, string> = {
    'config-copier-6d5f7c9b8-x2x4z': 'config-copier-6d5f7c9b8-x2x4z',
    'Alices-MacBook.local': 'alices-macbook.local',
    my_host: 'my-host',
    '-.host..example.-': 'host.example',
    'büro-7': 'b-ro-7',
    '': 'replica',
    主机: 'replica',
    ['x'.repeat(99) + '-more']: 'x'.repeat(99),
    ['x'.repeat(300)]: 'x'.repeat(100),
  };

  for (const [host, replica] of Object.entries(hosts)) {
    it(`names the replica on host ${JSON.stringify(host.slice(0, 20))} so that a Lease can be named after it`, () => {
      expect(replicaOfHost(host)).toBe(replica);
      expect(refusalOf({ name, replicaId: replica })).toBe('accepted');
    });
  }
});
