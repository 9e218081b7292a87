import { describe, expect, it } from '@jest/globals';
import { loadWindow, type Window } from './window.ts';

const content = ({ bytes, limit }: Window) => bytes.toString('utf8', 0, limit);

describe('Window', () => {
  it('holds its pieces, followed by a zero byte', () => {
    const window = loadWindow([Buffer.from('ab'), Buffer.from('c')]);
    expect(content(window)).toBe('abc');
    expect(window.bytes[window.limit]).toBe(0);
    window.cutAt(1);
    expect(content(window)).toBe('a');
    expect(window.bytes[window.limit]).toBe(0);
    window.release();
  });

  it('PC-2: is overwritten only after the scan and every batch have released it', () => {
    const window = loadWindow([Buffer.from('first')]);
    const batches = [window.batch(0, 1), window.batch(1, 2)];
    const loadAnother = () => {
      const another = loadWindow([Buffer.from('other')]);
      const isSame = another === window;
      if (!isSame) another.release();
      return isSame;
    };
    window.release();
    expect(loadAnother()).toBe(false);
    batches[0]?.release?.();
    // A second release of a batch is not that of the other batch.
    batches[0]?.release?.();
    expect(loadAnother()).toBe(false);
    expect(content(window)).toBe('first');
    batches[1]?.release?.();
    // The window that was released last is taken first.
    expect(loadAnother()).toBe(true);
    expect(content(window)).toBe('other');
    window.release();
  });

  it('P-6: is not referred to by a batch that released it', () => {
    const window = loadWindow([Buffer.from('content')]);
    const batch = window.batch(0, 1);
    window.release();
    expect(batch.bytes).toBe(window.bytes);
    batch.release?.();
    expect(batch.bytes).toHaveLength(0);
    expect(batch.envelopes).toHaveLength(0);
  });

  it('P-6: does not keep the window of a large object, nor more than 4 MiB', () => {
    const large = loadWindow([Buffer.alloc(512 * 1024)]);
    large.release();
    const second = loadWindow([Buffer.alloc(512 * 1024)]);
    expect(second).not.toBe(large);
    second.release();
    const windows = Array.from({ length: 12 }, () => loadWindow([Buffer.alloc(500_000)]));
    for (const window of windows) window.release();
    const reused = windows.map(() => loadWindow([Buffer.alloc(500_000)])).filter((window) => windows.includes(window));
    expect(reused.length).toBeGreaterThan(4);
    expect(reused.length).toBeLessThan(8);
  });

  it('makes room for texts and envelopes, and keeps what it has', () => {
    const window = loadWindow([Buffer.from('content')]);
    const text = Buffer.alloc(100_000, 'x');
    const starts = [window.append(text), window.append(text)];
    expect(content(window)).toBe('content');
    for (const start of starts) expect(window.bytes.subarray(start, start + text.length)).toEqual(text);
    for (let index = 0; index < 100; index += 1) window.envelopes[window.reachEnvelope(index)] = index;
    const { envelopes, length } = window.batch(90, 100);
    expect(length).toBe(10);
    expect(envelopes[0]).toBe(90);
    window.release();
  });
});
