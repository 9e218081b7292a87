import { describe, expect, it } from '@jest/globals';
import { growthOfHeap } from '../garbage/garbage.fixture.ts';
import { IndexValues, VALUE } from './index-values.ts';
import { Postings } from './postings.ts';

describe('Postings', () => {
  it('finds the records of a value, in the order in which they were added', () => {
    const postings = new Postings();
    postings.add(3, ['a', 'b']);
    postings.add(1, ['b']);
    postings.add(2, []);
    expect([...postings.records('a')]).toEqual([3]);
    expect([...postings.records('b')]).toEqual([3, 1]);
    expect([...postings.records('c')]).toEqual([]);
    expect([postings.count('a'), postings.count('b'), postings.count('c')]).toEqual([1, 2, 0]);
  });

  it('counts a repeated value once', () => {
    const postings = new Postings();
    postings.add(0, ['a', 'b', 'a']);
    expect([...postings.records('a')]).toEqual([0]);
    postings.remove(0);
    expect(postings.values).toBe(0);
  });

  it('removes a record, also one that has no values', () => {
    const postings = new Postings();
    postings.add(0, ['a']);
    postings.add(1, ['a', 'b']);
    for (const record of [0, 0, 5, 1_000_000]) postings.remove(record);
    expect([...postings.records('a')]).toEqual([1]);
    expect([...postings.records('b')]).toEqual([1]);
  });

  it('distinguishes all texts', () => {
    const texts = [
      '',
      'a',
      'ab',
      'ä',
      'Ä',
      '\u{1f600}',
      '\ud83d',
      '\ufffd',
      'a\u0000',
      'a'.repeat(200),
      'e'.repeat(1_100_000),
    ];
    const postings = new Postings();
    for (const [record, text] of texts.entries()) postings.add(record, [text]);
    for (const [record, text] of texts.entries()) expect([...postings.records(text)]).toEqual([record]);
  });

  it.each([1, 2, 3])('agrees with a map in a random sequence (seed %i)', (seed) => {
    const random = seeded(seed);
    const postings = new Postings();
    const model = new Map<string, Set<number>>();
    const valuesOf = new Map<number, readonly string[]>();
    const remove = (record: number): void => {
      postings.remove(record);
      for (const value of valuesOf.get(record) ?? []) {
        model.get(value)?.delete(record);
        if (model.get(value)?.size === 0) model.delete(value);
      }
      valuesOf.delete(record);
    };
    for (let step = 0; step < 2_000; step++) {
      const record = random() % 300;
      remove(record);
      if (random() % 3 > 0) {
        const values = Array.from({ length: random() % 4 }, () => textOf(random() % 500));
        postings.add(record, values);
        valuesOf.set(record, values);
        for (const value of values) model.set(value, (model.get(value) ?? new Set()).add(record));
      }
      const value = textOf(random() % 500);
      expect([...postings.records(value)]).toEqual([...(model.get(value) ?? [])]);
      expect(postings.values).toBe(model.size);
    }
    for (const [value, records] of model) {
      expect([...postings.records(value)]).toEqual([...records]);
      expect(postings.count(value)).toBe(records.size);
    }
    for (const record of [...valuesOf.keys()]) remove(record);
    expect(postings.values).toBe(0);
    // Only the least number of buckets is left.
    expect(postings.byteLength).toBeLessThan(200);
  });

  it('uses the places of removed values again', () => {
    const postings = new Postings();
    const count = 1_000;
    for (let record = 0; record < count; record++) postings.add(record, [`value-${record}`]);
    const { byteLength } = postings;
    for (let step = 1; step < 10; step++) {
      for (let record = 0; record < count; record++) {
        postings.remove(record);
        postings.add(record, [`value-${step * count + record}`]);
      }
    }
    expect(postings.byteLength).toBeLessThan(byteLength * 1.5);
  });

  it.each([
    ['costarring', 'liquid'],
    ['declinate', 'macallums'],
    ['altarage', 'zinke'],
  ])('separates %s and %s, which have one hash by the public constants of FNV-1a', (first, second) => {
    expect(fnv(first)).toBe(fnv(second));
    const values = new IndexValues();
    const [one, other] = [first, second].map((text) => values.get(values.add(text), VALUE.hash));
    expect(one).not.toBe(other);
  });

  it('P-5: an index needs at most 160 bytes for an object with a value of its own, outside the heap', async () => {
    const count = 50_000;
    const indexes: Postings[] = [];
    const growth = await growthOfHeap(() => {
      const postings = new Postings();
      for (let record = 0; record < count; record++) postings.add(record, [`node-${record}.zone-a.example.com`]);
      indexes.push(postings);
    });
    for (const postings of indexes) expect(postings.byteLength / count).toBeLessThan(160);
    expect(growth / count).toBeLessThan(16);
  });
});

/** Returns texts of different lengths. */
function textOf(number: number): string {
  return (number % 7 === 0 ? 'ü' : 'v').repeat(number % 150) + String(number);
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
}

function fnv(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
