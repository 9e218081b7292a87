import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { getEventListeners } from 'node:events';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import { Replays } from './replays.ts';

describe('Replays', () => {
  let clock: VirtualClock;
  let end: AbortController;
  /** Start of each delivery and its clusters. */
  let delivered: [number, ...ClusterName[]][];
  let deliver: () => Promise<void>;
  let lost: Set<ClusterName>;
  let warnings: number;
  let replays: Replays<ClusterName>;
  beforeEach(() => {
    clock = new VirtualClock();
    end = new AbortController();
    delivered = [];
    lost = new Set();
    warnings = 0;
    deliver = async () => undefined;
    const startedAt = clock.now();
    replays = new Replays({
      clock,
      log: { ...silentLogger, warn: () => void (warnings += 1) },
      deliver: (names) => {
        delivered.push([clock.now() - startedAt, ...names]);
        return deliver();
      },
      isNeeded: (name) => !lost.has(name),
      signal: end.signal,
    });
  });
  afterEach(async () => {
    end.abort();
    await clock.advance(0);
    expect([clock.pendingTimers, getEventListeners(end.signal, 'abort')]).toEqual([0, []]);
  });
  const fail = async () => {
    throw new Error('not mapped');
  };

  it('SH-10: clusters that are added in one turn have one delivery, which starts at once', async () => {
    replays.add(['a']);
    replays.add(['b', 'a']);
    await clock.advance(60_000);
    expect(delivered).toEqual([[0, 'a', 'b']]);
  });

  it('SH-10: clusters that are added one after the other have one delivery per second', async () => {
    for (let index = 0; index < 20; index += 1) {
      replays.add([`c-${index}`]);
      await clock.advance(100);
    }
    await clock.advance(60_000);
    expect(delivered.map(([at, ...names]) => [at, names.length])).toEqual([
      [0, 1],
      [1_000, 9],
      [2_000, 10],
    ]);
  });

  it('SH-10: there is one delivery at a time', async () => {
    const first = Promise.withResolvers<void>();
    deliver = () => first.promise;
    replays.add(['a']);
    await clock.advance(5_000);
    replays.add(['b']);
    await clock.advance(5_000);
    expect(delivered).toEqual([[0, 'a']]);
    first.resolve();
    await clock.advance(1_000);
    expect(delivered).toEqual([
      [0, 'a'],
      [11_000, 'b'],
    ]);
  });

  it('SH-10: a failed delivery is retried at least twice a minute, and logged once', async () => {
    deliver = fail;
    replays.add(['a']);
    await clock.advance(600_000);
    const pauses = delivered.slice(1).map(([at], index) => at - (delivered[index]?.[0] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(30_000);
    expect([delivered.length >= 20, warnings]).toEqual([true, 1]);
    deliver = async () => undefined;
    await clock.advance(30_000);
    const { length } = delivered;
    await clock.advance(600_000);
    expect(delivered).toHaveLength(length);
  });

  it('SH-10: a cluster that is added does not wait for the retry of others', async () => {
    deliver = fail;
    replays.add(['a']);
    await clock.advance(600_000);
    const { length } = delivered;
    replays.add(['b']);
    await clock.advance(1_000);
    expect(delivered.slice(length).flatMap(([, ...names]) => names)).toContain('b');
  });

  it('SH-10: a failed delivery is not retried for a cluster that was lost meanwhile', async () => {
    deliver = fail;
    replays.add(['a', 'b']);
    lost.add('a');
    await clock.advance(2_000);
    expect(delivered.slice(0, 2)).toEqual([
      [0, 'a', 'b'],
      [1_000, 'b'],
    ]);
    lost.add('b');
    await clock.advance(60_000);
    const { length } = delivered;
    await clock.advance(600_000);
    expect(delivered).toHaveLength(length);
  });

  it('SH-10: nothing is delivered after the controller has stopped', async () => {
    deliver = fail;
    replays.add(['a']);
    await clock.advance(0);
    end.abort();
    replays.add(['b']);
    await clock.advance(600_000);
    expect(delivered).toEqual([[0, 'a']]);
  });
});
