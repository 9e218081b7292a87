import { describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { Lifetime } from './lifetime.ts';

describe('Lifetime', () => {
  it('ends with the longer life that it is part of, for the same reason', () => {
    const outer = new AbortController();
    const lifetime = new Lifetime(outer.signal);
    outer.abort(new Error('all is over'));
    expect(lifetime.signal.reason).toBe(outer.signal.reason);
    expect(new Lifetime(outer.signal).signal.reason).toBe(outer.signal.reason);
  });

  it('is aborted when its work is done, and leaves no listener behind', () => {
    const outer = new AbortController();
    const lifetime = new Lifetime(outer.signal);
    lifetime.complete();
    expect(lifetime.signal.aborted).toBe(true);
    expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
  });

  it('SH-5: a thousand of them share one listener, which is removed with the last', () => {
    const outer = new AbortController();
    const lifetimes = Array.from({ length: 1_000 }, () => new Lifetime(outer.signal));
    expect(getEventListeners(outer.signal, 'abort')).toHaveLength(1);
    for (const lifetime of lifetimes.splice(1)) lifetime.complete();
    expect(getEventListeners(outer.signal, 'abort')).toHaveLength(1);
    outer.abort(new Error('all is over'));
    expect(lifetimes[0]?.signal.reason).toBe(outer.signal.reason);
  });

  it('leaves no listener behind when it ends before', () => {
    const outer = new AbortController();
    const lifetime = new Lifetime(outer.signal);
    lifetime.end('it was removed');
    expect(lifetime.signal.reason).toMatchObject({ name: 'AbortError', message: 'it was removed' });
    expect(outer.signal.aborted).toBe(false);
    expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
  });
});
