import { describe, expect, it } from '@jest/globals';
import { messageLimit, withoutMiddle } from './placement-message.ts';
import { fieldsOf } from './placement-record.ts';

describe('a message about a cluster', () => {
  const name = 'x'.repeat(253);
  const remedy = 'rename one of the two objects, or delete it';
  const message = `ConfigMap ${name}/${name} exists already and was not placed: ${remedy}`;

  it.each([10, 1_000, 5_000])('FP-4: keeps the kind and the remedy in a fleet of %d clusters', (clusters) => {
    const kept = withoutMiddle(message, messageLimit(clusters));
    expect(kept).toMatch(/^ConfigMap x.*…/);
    expect(kept.endsWith(remedy)).toBe(true);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(messageLimit(clusters));
  });

  it('FP-4: stays as is if it is short, and is never cut within a character', () => {
    expect(withoutMiddle('denied', messageLimit(1))).toBe('denied');
    for (let size = 100; size < 110; size += 1) {
      const kept = withoutMiddle('é😀'.repeat(1_000), size);
      expect(kept).toMatch(/^[é😀]+…[é😀]+$/u);
      expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(size);
    }
  });

  it('FP-4: leaves room for the entries of 1,000 failed clusters in one ConfigMap', () => {
    const clusters = Array.from({ length: 1_000 }, (_, index) => `eu-central-1-production-${index}`);
    const entries = clusters.map((cluster) =>
      fieldsOf({
        cluster,
        state: 'Failed',
        observedGeneration: '12345',
        message: withoutMiddle(`${cluster} ${message}`, messageLimit(clusters.length)),
        objects: [`ConfigMap default/${cluster}`],
      }),
    );
    expect(Buffer.byteLength(JSON.stringify(Object.assign({}, ...entries)))).toBeLessThan(1024 * 1024);
  });
});
