import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DeepReadonly, EventDetails, KubernetesObject } from '@mcr/client';
import { silentLogger } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { FakeSlots } from '../../controller/sharded/fake-slots.fixture.ts';
import { HandoverStorm } from './handover-storm.ts';

const MINUTE = 60_000;

describe('a storm of handovers', () => {
  let clock: VirtualClock;
  let slots: FakeSlots;
  let events: { readonly about: DeepReadonly<KubernetesObject>; readonly details: EventDetails }[];
  let warnings: number;
  beforeEach(() => {
    [clock, slots, events, warnings] = [new VirtualClock(), new FakeSlots(16), [], 0];
    const storm = new HandoverStorm({
      slots,
      replicas: () => 4,
      clock,
      logger: { ...silentLogger, warn: () => void (warnings += 1) },
      recorder: { event: (about, details) => void events.push({ about, details }) },
      plan: { namespace: 'fleet', name: 'copier-plan' },
    });
    storm.watch();
  });

  /** Takes the fair share over, and loses it again. */
  async function takeOver(times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) {
      slots.set('active', 0, 1, 2, 3);
      slots.set('elsewhere', 0, 1, 2, 3);
      await clock.advance(MINUTE);
    }
  }

  it('SH-12: is reported by an Event about the plan, at most every ten minutes', async () => {
    // The first time is none of coming back.
    await takeOver(3);
    expect([events, warnings]).toEqual([[], 0]);
    await takeOver(9);
    expect(warnings).toBe(1);
    expect(events).toHaveLength(1);
    const [{ about, details } = {}] = events;
    expect(about).toMatchObject({ kind: 'Lease', metadata: { namespace: 'fleet', name: 'copier-plan' } });
    expect(details).toMatchObject({ type: 'Warning', reason: 'HandoverStorm' });
    expect(details?.note).toContain(
      '12 slots that this replica had given away or lost came back in 10 minutes, and its share is 4',
    );
    await takeOver(2);
    expect(events).toHaveLength(2);
  });

  it('SH-12: is not reported when this replica takes over slots for the first time, however many they are', async () => {
    for (const slot of slots.all) {
      slots.set('warming', slot);
      slots.set('active', slot);
      await clock.advance(1_000);
    }
    expect([events, warnings]).toEqual([[], 0]);
  });

  it('SH-12: is reported when each slot of the share has come back more than twice', async () => {
    await takeOver(3);
    expect(warnings).toBe(0);
    await takeOver(1);
    expect(warnings).toBe(1);
    expect(events[0]?.details.note).toContain('see the logs of all replicas and the metric mcr_shard_handovers_total');
  });

  it('SH-12: reports nothing if the same handovers take longer', async () => {
    for (let time = 0; time < 6; time += 1) {
      await takeOver(1);
      await clock.advance(5 * MINUTE);
    }
    expect([events, warnings]).toEqual([[], 0]);
  });
});
