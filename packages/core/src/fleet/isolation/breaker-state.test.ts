import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BreakerInput, BreakerState } from './breaker-state.ts';
import { CLOSED, transition } from './breaker-state.ts';

const overdue = (call: 'read' | 'write'): BreakerInput => ({ type: 'overdue', call, reason: `${call} overdue` });
const inTime = (call: 'read' | 'write'): BreakerInput => ({ type: 'answered', call, late: false });
const late = (call: 'read' | 'write'): BreakerInput => ({ type: 'answered', call, late: true });
const expired = (call: 'read' | 'write'): BreakerInput => ({ type: 'expired', call, reason: `${call} expired` });
const silent: BreakerInput = { type: 'silent', reason: 'no answer to a ping' };
const recovered: BreakerInput = { type: 'recovered' };
const retry: BreakerInput = { type: 'retry' };
const quiet: BreakerInput = { type: 'quiet' };

function after(...inputs: readonly BreakerInput[]): BreakerState {
  return inputs.reduce(transition, CLOSED);
}

describe('states of a circuit breaker', () => {
  it('FP-2: stays closed while calls are answered, and makes no new state for each of them', () => {
    expect(after(inTime('read'), inTime('write'), late('read'))).toBe(CLOSED);
  });

  it('FP-2: is slow from an overdue call until a call of that type is answered in time', () => {
    expect(after(overdue('write'))).toMatchObject({ phase: 'slow', reason: 'write overdue', answers: false });
    expect(after(overdue('write'), inTime('read'))).toMatchObject({ phase: 'slow' });
    expect(after(overdue('write'), late('write'))).toMatchObject({ phase: 'slow', answers: true });
    expect(after(overdue('write'), inTime('write'))).toEqual(CLOSED);
    expect(after(overdue('write'), overdue('read'), inTime('write'))).toMatchObject({ phase: 'slow' });
    expect(after(overdue('write'), overdue('read'), inTime('write'), inTime('read'))).toEqual(CLOSED);
  });

  it('FP-2: silence parks at once, from every state; a health check closes it again', () => {
    for (const state of [CLOSED, after(overdue('read')), after(expired('write'), expired('write'), retry)]) {
      expect(transition(state, silent)).toMatchObject({ phase: 'parked', cause: 'ping' });
    }
    expect(after(silent, recovered)).toMatchObject({ phase: 'closed', parks: 1 });
    expect(after(silent, retry)).toMatchObject({ phase: 'parked' });
  });

  it('FP-2: two lost calls of one type park it, whatever becomes of the other type', () => {
    expect(after(expired('write'), inTime('read'), expired('write'))).toMatchObject({
      phase: 'parked',
      cause: 'write',
    });
    expect(after(expired('write'), expired('read'))).toMatchObject({ phase: 'closed' });
    expect(after(expired('write'), inTime('write'), expired('write'))).toMatchObject({ phase: 'closed' });
    expect(after(expired('write'), late('write'), expired('write'))).toMatchObject({ phase: 'closed' });
  });

  it('FP-2: a cluster that loses writes is tried by a write, whatever a health check says', () => {
    const parked = after(expired('write'), expired('write'));
    expect(transition(parked, recovered)).toBe(parked);
    const trial = transition(parked, retry);
    expect(trial).toMatchObject({ phase: 'half-open', cause: 'write' });
    expect(transition(trial, inTime('read'))).toBe(trial);
    expect(transition(trial, inTime('write'))).toEqual(CLOSED);
    expect(transition(trial, expired('write'))).toMatchObject({ phase: 'parked', parks: 2 });
  });

  it('FP-2: a trial that is answered late makes it slow, not parked', () => {
    const slow = after(expired('write'), expired('write'), retry, late('write'));
    expect(slow).toMatchObject({ phase: 'slow', answers: true, parks: 1 });
    expect(transition(slow, inTime('write'))).toEqual(CLOSED);
  });

  it('FP-2: closes when no call is late for a while, also on trial; a parked cluster stays parked', () => {
    expect(after(overdue('read'), quiet)).toEqual(CLOSED);
    expect(after(overdue('read'), overdue('write'), quiet)).toEqual(CLOSED);
    expect(after(expired('write'), expired('write'), retry, quiet)).toMatchObject({ phase: 'closed', parks: 1 });
    expect(after(silent, quiet)).toMatchObject({ phase: 'parked' });
    expect(after(expired('write'), expired('write'), quiet)).toMatchObject({ phase: 'parked' });
    expect(after(quiet)).toBe(CLOSED);
  });

  it('FP-2: counts how often it was parked until a call is answered in time', () => {
    expect(after(silent, recovered, silent, recovered, silent)).toMatchObject({ parks: 3 });
    expect(after(silent, recovered, late('read'), silent)).toMatchObject({ parks: 2 });
    expect(after(silent, recovered, inTime('read'), silent)).toMatchObject({ parks: 1 });
  });

  it('FP-2: no state is the last: recovery, a trial and answers in time lead back to closed, after any inputs', () => {
    const call = fc.constantFrom('read' as const, 'write' as const);
    const input = fc.oneof(
      fc.constantFrom(silent, recovered, retry, quiet),
      call.map(overdue),
      call.map(inTime),
      call.map(late),
      call.map(expired),
    );
    fc.assert(
      fc.property(fc.array(input, { maxLength: 30 }), (inputs) => {
        const healed = [recovered, retry, inTime('read'), inTime('write')].reduce(transition, after(...inputs));
        expect(healed).toEqual(CLOSED);
      }),
      { seed: 1 },
    );
  });
});
