import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import type { Applies, SlowedObject } from './apply-pace.ts';
import { ApplyPace, slowedObjects } from './apply-pace.ts';

const OBJECT = 'ConfigMap default/a';
const other = () => 'another client changes it';

function scene() {
  const clock = new VirtualClock();
  const slowed: SlowedObject[] = [];
  let inputs = 'one';
  let applies: Applies | undefined;
  let round = 0;
  const pace = () => new ApplyPace({ clock, inputs: () => inputs, onSlowed: (object) => slowed.push(object) });
  return {
    clock,
    slowed,
    change: (to: string) => (inputs = to),
    slowedNow: () => slowedObjects(new Map([[OBJECT, { applies }]]), clock.now()),
    apply: (configuration: unknown) => {
      applies = pace().applied({ object: OBJECT, configuration, before: applies, cause: other });
    },
    /** Applies another configuration as often as it may at this instant, but at most 100 times. */
    applyAll: (): number => {
      for (let count = 0; count < 100; count += 1) {
        if (!pace().mayApply(applies)) return count;
        const configuration = { data: { seed: String((round += 1)) } };
        applies = pace().applied({ object: OBJECT, configuration, before: applies, cause: other });
      }
      return 100;
    },
  };
}

describe('ApplyPace', () => {
  it('FP-4: applies an object that does not settle five times, and then less and less often', async () => {
    const { clock, slowed, applyAll } = scene();
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
    const { slowedNow, applyAll } = scene();
    applyAll();
    const [slowed] = slowedNow();
    expect(slowed?.message).toBe(
      'ConfigMap default/a is applied repeatedly: "objects" returns another data.seed for the same owner: return the same objects for the same state, without times and random values',
    );
  });

  it('FP-4: says what others have done if the configuration is the same', () => {
    const { apply, slowed } = scene();
    for (let index = 0; index < 5; index += 1) apply({});
    expect(slowed.map(({ message }) => message)).toEqual([
      `${OBJECT} is applied repeatedly: another client changes it`,
    ]);
  });

  it('FP-4: applies an object at once whose owner has changed, or that was not applied for a while', async () => {
    const { clock, change, slowedNow, applyAll } = scene();
    applyAll();
    change('two');
    expect(applyAll()).toBe(5);
    await clock.advance(61_000);
    expect(slowedNow()).toEqual([]);
    expect(applyAll()).toBe(5);
  });
});
