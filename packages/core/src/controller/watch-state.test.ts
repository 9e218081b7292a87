import { describe, expect, it } from '@jest/globals';
import type { WatchState } from './watch-state.ts';
import { INITIAL, transition } from './watch-state.ts';

const error = new Error('refused');

describe('watch state', () => {
  it('CT-4: a failed source is retried after 1 s, doubling up to 5 min', () => {
    const waits: number[] = [];
    let state: WatchState = INITIAL;
    for (let i = 0; i < 11; i++) {
      state = transition(state, { type: 'failed', error });
      if (state.phase === 'failed') waits.push(state.retryAfter);
      state = transition(state, { type: 'retry' });
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000]);
  });

  it('stays stopped, and ignores late input', () => {
    const stopped = transition(INITIAL, { type: 'stop' });
    const synced = transition(INITIAL, { type: 'synced' });
    const failed = transition(INITIAL, { type: 'failed', error });
    expect(stopped.phase).toBe('stopped');
    for (const type of ['synced', 'retry', 'stop'] as const) expect(transition(stopped, { type })).toBe(stopped);
    expect(transition(synced, { type: 'failed', error })).toBe(synced);
    expect(transition(synced, { type: 'retry' })).toBe(synced);
    expect(transition(failed, { type: 'synced' })).toEqual({ phase: 'synced' });
    expect(transition(INITIAL, { type: 'retry' })).toBe(INITIAL);
  });
});
