import { describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { Life } from './life.ts';

describe('Life', () => {
  it('ends with the longer life that it is part of, for the same reason', () => {
    const outer = new AbortController();
    const life = new Life(outer.signal);
    outer.abort(new Error('all is over'));
    expect(life.signal.reason).toBe(outer.signal.reason);
    expect(new Life(outer.signal).signal.reason).toBe(outer.signal.reason);
  });

  it('leaves no listener behind when it ends before', () => {
    const outer = new AbortController();
    const life = new Life(outer.signal);
    life.end('it was removed');
    expect(life.signal.reason).toMatchObject({ name: 'AbortError', message: 'it was removed' });
    expect(outer.signal.aborted).toBe(false);
    expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
  });
});
