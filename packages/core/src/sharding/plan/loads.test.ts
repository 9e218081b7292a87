import { describe, expect, it } from '@jest/globals';
import { effectiveLoads, slotLoads } from './loads.ts';
import type { Plan } from './plan.ts';

const plan: Plan = {
  epoch: 1,
  id: 'id',
  members: ['a', 'b'],
  slots: ['a', 'a', 'b', 'b'].map((owner) => ({ owner, since: 1, wait: [] })),
};

describe('slotLoads', () => {
  it('SH-8: counts keys if there are no reports', () => {
    expect([...slotLoads({ slots: 4, keys: [3, 0, 1, 2], plan, reports: new Map() })]).toEqual([3, 0, 1, 2]);
  });

  it('SH-8: counts the average load of a key where a report is missing', () => {
    const reports = new Map([
      [
        'a',
        new Map([
          [0, 30],
          [1, 50],
        ]),
      ],
    ]);
    expect([...slotLoads({ slots: 4, keys: [3, 1, 1, 2], plan, reports })]).toEqual([30, 50, 20, 40]);
  });

  it('SH-8: takes loads in any unit', () => {
    const bytes = new Map([
      [0, 3e15],
      [1, 1e15],
    ]);
    expect([...slotLoads({ slots: 4, keys: [1, 1, 1, 2], plan, reports: new Map([['a', bytes]]) })]).toEqual([
      3e15, 1e15, 2e15, 4e15,
    ]);
  });

  it('SH-8: ignores reports of members that do not own the slot', () => {
    const reports = new Map([['b', new Map([[0, 99]])]]);
    expect([...slotLoads({ slots: 4, keys: [3, 0, 1, 2], plan, reports })]).toEqual([3, 0, 1, 2]);
  });

  it('counts each slot once if neither keys nor reports are known', () => {
    expect([...slotLoads({ slots: 2, reports: new Map() })]).toEqual([1, 1]);
  });
});

describe('effectiveLoads', () => {
  it('counts what is not a positive number as 0', () => {
    expect([...effectiveLoads(4, [NaN, -3, 2])]).toEqual([0, 0, 2, 0]);
  });

  it('limits loads, so that their sums stay finite', () => {
    expect([...effectiveLoads(2, [Infinity, 1])]).toEqual([2 ** 900, 1]);
  });

  it('counts each slot as 1 if no slot has load', () => {
    expect([...effectiveLoads(2, [0, 0])]).toEqual([1, 1]);
    expect([...effectiveLoads(2, undefined)]).toEqual([1, 1]);
  });
});
