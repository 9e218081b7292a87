import { describe, expect, it, jest } from '@jest/globals';
import { collections } from '../garbage/collections.ts';
import { DecodeCache, decodeCache, type Admission } from './decode-cache.ts';
import { collectGarbage } from '../garbage/garbage.fixture.ts';

/** Estimated heap of an object. */
const SIZE = 1_500;

describe('DecodeCache', () => {
  it('PC-3: returns the same object while it is kept', () => {
    const store = new Reader(new DecodeCache({ budget: 10 * SIZE }));
    const objects = store.readAll(10);
    expect(store.readAll(10)).toEqual(objects);
    expect(store.decodes).toBe(10);
    expect(store.cache).toMatchObject({ kept: 10, remembered: 0, used: 10 * SIZE });
  });

  it('keeps no more than its budget', () => {
    const store = new Reader(new DecodeCache({ budget: 10 * SIZE }));
    store.readAll(100);
    expect(store.cache).toMatchObject({ kept: 10, remembered: 90, used: 10 * SIZE });
  });

  it('PC-3: returns the same object after it left the budget, while it is referenced', async () => {
    const store = new Reader(new DecodeCache({ budget: 2 * SIZE }));
    const objects = store.readAll(10);
    await collectGarbage();
    for (const [record, object] of objects.entries()) expect(store.read(record)).toBe(object);
    expect(store.decodes).toBe(10);
    expect(store.cache).toMatchObject({ kept: 2, remembered: 8 });
  });

  it('keeps objects that are read again longer than others', () => {
    const store = new Reader(new DecodeCache({ budget: 10 * SIZE }));
    const hot = store.read(0);
    for (let record = 1; record < 100; record++) {
      store.read(record);
      expect(store.read(0)).toBe(hot);
    }
    expect(store.isKept(0)).toBe(true);
    expect(store.isKept(50)).toBe(false);
  });

  it('P-19: a list that is larger than the budget does not push itself out', () => {
    const store = new Reader(new DecodeCache({ budget: 10 * SIZE }));
    store.readAll(100, 'if there is room');
    store.readAll(100, 'if there is room');
    for (let record = 0; record < 10; record++) expect(store.isKept(record)).toBe(true);
    expect(store.cache).toMatchObject({ kept: 10, remembered: 90 });
    expect(store.decodes).toBe(100);
  });

  it('remembers an object that is larger than the budget, and pushes nothing out for it', () => {
    const store = new Reader(new DecodeCache({ budget: SIZE }));
    const small = store.read(0);
    const large = store.read(1, 'always', 10 * SIZE);
    expect(store.read(1)).toBe(large);
    expect(store.isKept(0)).toBe(true);
    expect(store.read(0)).toBe(small);
    expect(store.cache).toMatchObject({ kept: 1, remembered: 1 });
  });

  it('decodes again what has been collected', async () => {
    const store = new Reader(new DecodeCache({ budget: 2 * SIZE }));
    store.readAll(4);
    await collectGarbage();
    expect(store.read(0)).toEqual({ record: 0, decoded: 5 });
  });

  it('frees the slots of objects that have been collected', async () => {
    const store = new Reader(new DecodeCache({ budget: 10 * SIZE }));
    const held = store.readAll(1_000).filter((_, record) => record % 10 === 0);
    await collectGarbage();
    await store.cache.sweep();
    expect(store.cache.kept).toBe(10);
    expect(store.cache.remembered).toBeLessThanOrEqual(100);
    for (const object of held) expect(store.read(object.record)).toBe(object);
  });

  it('reports a failure to free slots, and continues', async () => {
    jest.useFakeTimers();
    jest.spyOn(collections, 'collectedAt', 'get').mockReturnValue(Infinity);
    const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const store = new Reader(new DecodeCache({ budget: SIZE }));
    const sweep = jest.spyOn(store.cache, 'sweep').mockRejectedValueOnce(new RangeError('out of memory'));
    const objects = store.readAll(2);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(sweep).toHaveBeenCalled();
    expect(emitWarning.mock.calls.map(([warning]) => warning)).toEqual([
      'releasing decoded objects failed: out of memory',
    ]);
    expect(store.readAll(2)).toEqual(objects);
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('releases an object, kept or remembered', () => {
    const store = new Reader(new DecodeCache({ budget: 2 * SIZE }));
    const objects = store.readAll(4);
    for (const record of [1, 3, 0, 2]) expect(store.release(record)).toBe(objects[record]);
    expect(store.cache).toMatchObject({ kept: 0, remembered: 0, used: 0 });
    expect(store.read(1)).not.toBe(objects[1]);
  });

  it('shares its budget between stores', () => {
    const cache = new DecodeCache({ budget: 10 * SIZE });
    const [first, second] = [new Reader(cache), new Reader(cache)];
    first.readAll(10);
    second.readAll(10);
    expect(first.readAll(10)).toHaveLength(10);
    expect(cache).toMatchObject({ kept: 10, used: 10 * SIZE });
  });

  it('keeps everything without a budget', () => {
    const store = new Reader(new DecodeCache({ budget: Infinity }));
    store.readAll(10_000);
    expect(store.cache).toMatchObject({ kept: 10_000, remembered: 0 });
  });

  it.each([1, 2, 3])('PC-3: agrees with a map of all objects in a random sequence (seed %i)', (seed) => {
    const random = seeded(seed);
    const cache = new DecodeCache({ budget: 20 * SIZE });
    const stores = [new Reader(cache), new Reader(cache)];
    const held = stores.map(() => new Map<number, Decoded>());
    for (let step = 0; step < 3_000; step++) {
      const at = random() % 2;
      const [store, objects] = [stores[at] as Reader, held[at] as Map<number, Decoded>];
      const record = random() % 60;
      if (random() % 4 === 0) {
        expect(store.release(record)).toBe(objects.get(record));
        objects.delete(record);
      } else {
        const object = store.read(record, random() % 2 ? 'always' : 'if there is room', (random() % 3) * SIZE);
        expect(object).toBe(objects.get(record) ?? object);
        objects.set(record, object);
      }
      expect(cache.used).toBeLessThanOrEqual(20 * SIZE);
      expect(stores.reduce((sum, { kept }) => sum + kept, 0)).toBe(cache.kept);
    }
    expect(cache.kept + cache.remembered).toBe((held[0]?.size ?? 0) + (held[1]?.size ?? 0));
  });

  it('the cache of the process has a budget', () => {
    const store = new Reader(decodeCache);
    store.readAll(100);
    expect(decodeCache.kept).toBe(100);
    for (let record = 0; record < 100; record++) store.release(record);
    expect(decodeCache.kept).toBe(0);
  });
});

interface Decoded {
  readonly record: number;
  /** Number of the decode. */
  readonly decoded: number;
}

/** Stands for a store. */
class Reader {
  decodes = 0;
  kept = 0;
  readonly cache: DecodeCache;
  readonly #slots = new Map<number, number>();

  constructor(cache: DecodeCache) {
    this.cache = cache;
  }

  setDecoded(record: number, slot: number): void {
    if (slot === 0) this.#slots.delete(record);
    else this.#slots.set(record, slot);
  }

  keptChanged(by: number): void {
    this.kept += by;
  }

  read(record: number, admission?: Admission, size = SIZE): Decoded {
    const slot = this.#slots.get(record);
    const known = slot === undefined ? undefined : (this.cache.get(slot, admission) as Decoded | undefined);
    if (known) return known;
    const object = { record, decoded: ++this.decodes };
    this.cache.add(this, record, object, size, admission);
    return object;
  }

  readAll(count: number, admission?: Admission): Decoded[] {
    return Array.from({ length: count }, (_, record) => this.read(record, admission));
  }

  release(record: number): object | undefined {
    const slot = this.#slots.get(record);
    return slot === undefined ? undefined : this.cache.release(slot);
  }

  isKept(record: number): boolean {
    const kept = this.cache.kept;
    const object = this.release(record);
    const wasKept = this.cache.kept < kept;
    if (object) this.cache.add(this, record, object, SIZE, 'if there is room');
    return wasKept;
  }
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
}
