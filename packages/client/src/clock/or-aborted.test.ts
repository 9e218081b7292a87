import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { orAborted } from './or-aborted.ts';

describe('orAborted', () => {
  const pending = new Promise<never>(() => undefined);

  it('resolves with the value, and leaves no listener', async () => {
    const { signal } = new AbortController();
    await expect(orAborted(Promise.resolve(1), signal)).resolves.toBe(1);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with the reason of the signal, and leaves no listener', async () => {
    const end = new AbortController();
    const waiting = orAborted(pending, end.signal);
    end.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    expect(getEventListeners(end.signal, 'abort')).toEqual([]);
  });

  it('rejects at once if the signal has aborted before, and adds no listener', async () => {
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(orAborted(pending, signal)).rejects.toThrow('stopped');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
