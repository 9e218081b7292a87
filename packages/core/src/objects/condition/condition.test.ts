import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@mcr/client/testing';
import type { Condition } from './condition.ts';
import { findCondition, isConditionTrue, removeCondition, setCondition } from './condition.ts';

describe('conditions', () => {
  const ready = { type: 'Ready', status: 'True', reason: 'Up', message: 'it is up' } as const;

  it.each<[string, unknown, unknown, string]>([
    ['a status for its list', { conditions: [] }, ready, 'expected a list of conditions first, found an object: pass'],
    ['no list', undefined, ready, 'expected a list of conditions first, found undefined'],
    ['no condition', [], undefined, 'expected a condition with the text "type", found undefined'],
    [
      'a boolean status',
      [],
      { ...ready, status: true },
      'field "status": expected "True", "False" or "Unknown", found a',
    ],
  ])('setCondition refuses %s', (_, conditions, update, message) => {
    const call = () => setCondition(conditions as Condition[], update as typeof ready);
    expect(call).toThrow(`setCondition: ${message}`);
  });

  it('lastTransitionTime changes only when the status changes', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1, 0, 0, 0, 7));
    const conditions: Condition[] = [];
    expect(setCondition(conditions, ready, { clock })).toBe(true);
    expect(conditions).toEqual([{ ...ready, lastTransitionTime: '2026-01-01T00:00:00Z' }]);
    await clock.advance(60_000);
    expect(setCondition(conditions, ready, { clock })).toBe(false);
    expect(setCondition(conditions, { ...ready, message: 'still up', observedGeneration: 2 }, { clock })).toBe(true);
    expect(conditions[0]).toMatchObject({
      message: 'still up',
      observedGeneration: 2,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    expect(setCondition(conditions, { ...ready, status: 'False', reason: 'Down' }, { clock })).toBe(true);
    expect(conditions).toEqual([
      { ...ready, status: 'False', reason: 'Down', lastTransitionTime: '2026-01-01T00:01:00Z' },
    ]);
  });

  it('a given lastTransitionTime is used when the status changes', () => {
    const conditions: Condition[] = [];
    setCondition(conditions, { ...ready, lastTransitionTime: '2020-01-01T00:00:00Z' });
    setCondition(conditions, { ...ready, message: 'x', lastTransitionTime: '2021-01-01T00:00:00Z' });
    expect(conditions[0]?.lastTransitionTime).toBe('2020-01-01T00:00:00Z');
  });

  it('are found, tested and removed by their type', () => {
    const conditions: Condition[] = [];
    setCondition(conditions, ready);
    setCondition(conditions, { ...ready, type: 'Synced', status: 'Unknown' });
    expect(findCondition(conditions, 'Synced')?.status).toBe('Unknown');
    expect(isConditionTrue(conditions, 'Ready')).toBe(true);
    expect(isConditionTrue(conditions, 'Synced')).toBe(false);
    expect(isConditionTrue(undefined, 'Ready')).toBe(false);
    expect(removeCondition(conditions, 'Ready')).toBe(true);
    expect(removeCondition(conditions, 'Ready')).toBe(false);
    expect(removeCondition(undefined, 'Ready')).toBe(false);
    expect(conditions.map(({ type }) => type)).toEqual(['Synced']);
  });
});
