import { describe, expect, it } from '@jest/globals';
import type { Leadership, Sighting } from './leadership.ts';
import { mayClaim, transition } from './leadership.ts';
import type { LeaseRecord } from './lease-record.ts';

const rules = { identity: 'me', renewDeadline: 10_000 };

function record(more: Partial<LeaseRecord> = {}): LeaseRecord {
  return { holder: 'other', duration: 15_000, transitions: 0, acquireTime: '', version: '1', ...more };
}

const leader: Leadership = { phase: 'leader', record: record({ holder: 'me' }), renewedAt: 0 };

describe('leadership', () => {
  it.each<[string, Sighting, number, boolean]>([
    ['there is no lease', { record: undefined, since: 0 }, 0, true],
    ['it has no holder', { record: record({ holder: '' }), since: 0 }, 0, true],
    ['its own name is in it', { record: record({ holder: 'me' }), since: 0 }, 0, true],
    ['another holds it', { record: record(), since: 100 }, 15_099, false],
    ['another has been silent for as long as its lease lasts', { record: record(), since: 100 }, 15_100, true],
    ['another asked for longer', { record: record({ duration: 60_000 }), since: 0 }, 59_999, false],
  ])('MG-5: a candidate sees whether it may write its name: %s', (_, sighting, at, expected) => {
    expect(mayClaim(sighting, at, rules)).toBe(expected);
  });

  it('MG-5: a candidate counts from when it first saw a version, not from when it read it last', () => {
    let state: Leadership = { phase: 'candidate' };
    for (const at of [1_000, 3_000, 5_000]) state = transition(state, { type: 'read', record: record(), at }, rules);
    expect(state).toEqual({ phase: 'candidate', sighting: { record: record(), since: 1_000 } });
    state = transition(state, { type: 'read', record: record({ version: '2' }), at: 7_000 }, rules);
    expect(state).toMatchObject({ sighting: { since: 7_000 } });
  });

  it('MG-5: a leader counts from when it sent an accepted write, not from when it received the response', () => {
    const state = transition({ phase: 'candidate' }, { type: 'granted', record: record(), sentAt: 0, at: 900 }, rules);
    expect(state).toMatchObject({ phase: 'leader', renewedAt: 0 });
    expect(transition(state, { type: 'time', at: 9_999 }, rules).phase).toBe('leader');
    expect(transition(state, { type: 'time', at: 10_000 }, rules)).toEqual({
      phase: 'lost',
      reason: 'it was not renewed within 10000 ms',
    });
  });

  it('F-16: a response to a renewal after the deadline does not restore leadership', () => {
    const late = { type: 'granted', record: record(), sentAt: 9_000, at: 10_000 } as const;
    expect(transition(leader, late, rules).phase).toBe('lost');
  });

  it('MG-5: a leader that reads another holder has lost', () => {
    expect(transition(leader, { type: 'read', record: record(), at: 1 }, rules)).toEqual({
      phase: 'lost',
      reason: 'its holder is now other',
    });
  });

  it('a leader continues from a version that another client wrote, if it is still the holder', () => {
    const touched = record({ holder: 'me', version: '7' });
    expect(transition(leader, { type: 'read', record: touched, at: 1 }, rules)).toMatchObject({
      phase: 'leader',
      record: { version: '7' },
      renewedAt: 0,
    });
  });

  it('MG-5: a lost lease stays lost', () => {
    const lost: Leadership = { phase: 'lost', reason: 'it was' };
    expect(transition(lost, { type: 'granted', record: record(), sentAt: 0, at: 1 }, rules)).toBe(lost);
    expect(transition(lost, { type: 'resigned', at: 1 }, rules)).toBe(lost);
  });
});
