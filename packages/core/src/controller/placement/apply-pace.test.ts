import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import type { SlowedObject } from './apply-pace.ts';
import { ApplyPace } from './apply-pace.ts';

const OBJECT = 'ConfigMap default/a';
const random = (value: number) => ({ configuration: { data: { seed: String(value) } }, drift: () => undefined });

function pace() {
  const clock = new VirtualClock();
  const applies = new ApplyPace();
  const slowed: SlowedObject[] = [];
  let inputs = 'one';
  const pacing = () => applies.of({ clock, inputs: () => inputs, onSlowed: (object) => slowed.push(object) });
  let round = 0;
  return {
    clock,
    applies,
    slowed,
    pacing,
    change: (to: string) => (inputs = to),
    /** Applies another configuration as often as it may at this instant, but at most 100 times. */
    applyAll: (): number => {
      for (let count = 0; count < 100; count += 1) {
        if (!pacing().mayApply(OBJECT)) return count;
        pacing().applied(OBJECT, random((round += 1)));
      }
      return 100;
    },
  };
}

describe('ApplyPace', () => {
  it('FP-4: applies an object that does not settle five times, and then less and less often', async () => {
    const { clock, slowed, applyAll } = pace();
    expect(applyAll()).toBe(5);
    for (const delay of [1_000, 2_000, 4_000]) {
      expect(slowed.at(-1)?.delay).toBe(delay);
      await clock.advance(delay - 1);
      expect(applyAll()).toBe(0);
      await clock.advance(1);
      expect(applyAll()).toBe(1);
    }
    for (let index = 0; index < 20; index += 1) {
      await clock.advance(slowed.at(-1)?.delay ?? 0);
      applyAll();
    }
    expect(slowed.at(-1)).toMatchObject({ applies: 28, delay: 300_000 });
  });

  it('FP-4: names the object and the field that differs, and not its value', () => {
    const { applies, clock, applyAll } = pace();
    applyAll();
    const [slowed] = applies.slowed(clock.now());
    expect(slowed?.message).toBe(
      'ConfigMap default/a is applied repeatedly: "objects" returns another data.seed for the same owner: return the same objects for the same state, without times and random values',
    );
  });

  it.each<[string, string | undefined, string]>([
    [
      'changes a field',
      'spec.replicas',
      'another client changes spec.replicas: stop that client, or leave the field out',
    ],
    ['removes managedFields', '', 'another client changes its managedFields: stop'],
    ['deletes the object', undefined, 'another client deletes it: stop that client, or do not place the object'],
  ])('FP-4: says that another client %s', (_what, field, expected) => {
    const { pacing, slowed } = pace();
    for (let index = 0; index < 5; index += 1) pacing().applied(OBJECT, { configuration: {}, drift: () => field });
    expect(slowed.map(({ message }) => message)).toEqual([expect.stringContaining(expected)]);
  });

  it('FP-4: applies an object at once whose owner has changed, or that was not applied for a while', async () => {
    const { applies, clock, change, applyAll } = pace();
    applyAll();
    change('two');
    expect(applyAll()).toBe(5);
    await clock.advance(61_000);
    expect(applies.slowed(clock.now())).toEqual([]);
    expect(applyAll()).toBe(5);
    applies.retain(new Set());
    expect(applyAll()).toBe(5);
  });
});
