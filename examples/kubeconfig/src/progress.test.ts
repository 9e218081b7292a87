import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { compile, withProgress } from './progress.ts';

describe('progress of the demo', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('names the modules that are compiled, at most every five seconds', async () => {
    const load = (): Promise<void> => {
      jest.advanceTimersByTime(3_000);
      return Promise.resolve();
    };
    const lines: string[] = [];
    await compile([load, load, load], { write: (text) => lines.push(text) });
    expect(lines).toEqual(['Compiling ... 0.0 s (1 of 3)\n', 'Compiling ... 6.0 s (3 of 3)\n']);
    const texts: string[] = [];
    await compile([load, load], { isTTY: true, write: (text) => texts.push(text) });
    expect(texts.map((text) => text.slice(4))).toEqual([
      'Compiling ... 0.0 s (1 of 2)',
      'Compiling ... 3.0 s (2 of 2)',
      '',
    ]);
  });

  it('shows lines while the work takes long', async () => {
    const lines: string[] = [];
    const { promise, resolve } = Promise.withResolvers<number>();
    const working = withProgress('Compiling', promise, { write: (text) => lines.push(text) });
    jest.advanceTimersByTime(999);
    expect(lines).toEqual([]);
    jest.advanceTimersByTime(5_001);
    expect(lines).toEqual(['Compiling ... 1.0 s\n', 'Compiling ... 6.0 s\n']);
    resolve(7);
    expect(await working).toBe(7);
    jest.advanceTimersByTime(60_000);
    expect(lines).toHaveLength(2);
  });

  it('shows one line on a terminal, and clears it at the end', async () => {
    const texts: string[] = [];
    const { promise, reject } = Promise.withResolvers<number>();
    const working = withProgress('Compiling', promise, { isTTY: true, write: (text) => texts.push(text) });
    jest.advanceTimersByTime(1_100);
    reject(new Error('no'));
    await expect(working).rejects.toThrow('no');
    expect(texts).toEqual(['\r\u001b[KCompiling ... 1.0 s', '\r\u001b[KCompiling ... 1.1 s', '\r\u001b[K']);
  });
});
