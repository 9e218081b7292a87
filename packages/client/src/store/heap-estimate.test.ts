import { describe, expect, it } from '@jest/globals';
import { estimatedHeap } from './heap-estimate.ts';

const estimateOf = (text: string): number => estimatedHeap(Buffer.from(text), 0, text.length);

describe('estimatedHeap', () => {
  it('is about the length of a text, and 21 times the length of empty objects', () => {
    expect(estimateOf(`"${'x'.repeat(100_000)}"`) / 100_000).toBeCloseTo(1, 1);
    expect(estimateOf(`[${'{},'.repeat(100_000)}{}]`) / 300_000).toBeCloseTo(21, 0);
  });

  it.each(['{},', '{}     ', '[],{"a":1}'])(
    'takes samples of short texts, and is right for many of them together: %s',
    (unit) => {
      const long = unit.repeat(100_000);
      const short = unit.repeat(300);
      let sum = 0;
      for (let at = 0; at < 3_000; at += 1) sum += estimateOf(short);
      const expected = (estimateOf(long) / long.length) * 3_000 * short.length;
      expect(sum / expected).toBeGreaterThan(0.8);
      expect(sum / expected).toBeLessThan(1.2);
    },
  );
});
