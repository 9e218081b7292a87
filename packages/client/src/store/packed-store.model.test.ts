import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { defineKind } from '../kinds/kind.ts';
import type { DeepReadonly, KubernetesObject, ObjectMeta } from '../kinds/object.ts';
import { objectKeyText } from '../kinds/object.ts';
import { packObjects } from '../packed/pack-objects.ts';
import type { PackedEvent } from './packed-event.ts';
import { PackedStore } from './packed-store.ts';
import type { Selected } from './selection.ts';

interface Item extends KubernetesObject {
  readonly data?: unknown;
}

const Item = defineKind<Item>({ apiVersion: 'example.com/v1', kind: 'Item' });

/** Returns numbers in [0, 1) that depend on the seed only. (mulberry32) */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const NAMES = ['a', 'b-1', 'long.'.repeat(40), 'quote"d', 'ünï', '__proto__', 'tab\t', '日本'];
const NAMESPACES = [undefined, '', 'default', 'shop', 'constructor'];

/** Objects as a server has them, and what a handler learned from events. */
class Simulation {
  readonly random: () => number;
  readonly store: PackedStore<Item>;
  readonly server = new Map<string, Item>();
  /** The objects according to the events of the store. */
  readonly learned = new Map<string, DeepReadonly<Item>>();
  /** Events that were kept, and what they must read. */
  readonly kept: (readonly [PackedEvent<Item>, () => void])[] = [];
  #version = 0;

  constructor(seed: number, { compress }: { readonly compress: boolean }) {
    this.random = seeded(seed);
    this.store = new PackedStore<Item>({ kind: Item, freeze: true, compress });
    this.store.addIndex('app', ({ metadata }) => Object.values(metadata.labels ?? {}));
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  one<E>(elements: readonly E[]): E {
    return elements[this.below(elements.length)] as E;
  }

  /** An object with a random key, which may exist. */
  object(): Item {
    const namespace = this.one(NAMESPACES);
    const name = this.one(NAMES) + (this.random() < 0.7 ? String(this.below(20)) : '');
    const existing = this.server.get(objectKeyText({ ...(namespace && { namespace }), name }));
    const uid = existing && this.random() < 0.8 ? existing.metadata.uid : `uid-${this.below(1e9)}`;
    const metadata = {
      ...(this.random() < 0.3 && { managedFields: [{ manager: 'x', operation: 'Update' as const }] }),
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      ...(this.random() < 0.9 && { resourceVersion: String(++this.#version) }),
      ...(this.random() < 0.3 && { labels: { app: `"${this.below(5)}"` } }),
      ...(this.random() < 0.2 && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    } as unknown as ObjectMeta;
    const size = this.random() < 0.02 ? 200_000 : this.below(600);
    return {
      apiVersion: Item.apiVersion,
      kind: Item.kind,
      metadata,
      data: this.random() < 0.1 ? 2n ** 60n + BigInt(this.below(100)) : 'x'.repeat(size),
    };
  }

  put(object: Item): void {
    this.server.set(objectKeyText(object.metadata), object);
  }

  /** Takes events up as a handler does, and keeps some of them. */
  learn(events: readonly PackedEvent<Item>[]): void {
    for (const event of events) {
      const key = objectKeyText(event.key);
      const before = this.learned.get(key);
      if (event.type === 'add') expect(before).toBeUndefined();
      else expect(before).toBeDefined();
      if (event.type === 'delete') this.learned.delete(key);
      else this.learned.set(key, withoutManagedFields(this.server.get(key) as Item));
      if (this.random() > 0.2) continue;
      const object = event.type === 'delete' ? undefined : this.learned.get(key);
      // An event and a read return the same object.
      if (object && this.random() < 0.5) expect(event.object).toBe(this.store.get(event.key));
      this.kept.push([
        event,
        () => {
          expect(objectKeyText(event.key)).toBe(key);
          if (object) expectEqual(event.object, object);
          if (event.type === 'update') expectEqual(event.oldObject, before);
        },
      ]);
    }
  }

  watchEvent(): void {
    const keys = [...this.server.keys()];
    if (keys.length > 0 && this.random() < 0.3) {
      const key = this.one(keys);
      const object = this.server.get(key) as Item;
      this.server.delete(key);
      this.learn(this.store.apply(packObjects('DELETED', [object]), 0));
      return;
    }
    const object = this.object();
    this.put(object);
    this.learn(this.store.apply(packObjects('MODIFIED', [object]), 0));
  }

  /** Changes on the server that the store does not see. */
  missChanges(): void {
    for (let count = this.below(30); count > 0; count -= 1) {
      const keys = [...this.server.keys()];
      if (keys.length > 0 && this.random() < 0.5) this.server.delete(this.one(keys));
      else this.put(this.object());
    }
  }

  relist({ wentBack }: { readonly wentBack: boolean }): void {
    const { store } = this;
    const before = this.contents();
    store.beginReplace();
    const attempts = this.below(3);
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      for (const object of [...this.server.values()].slice(this.below(20)))
        store.stage(packObjects('listed', [object]), 0);
      this.missChanges();
      if (this.random() < 0.8) store.beginReplace();
      else for (const object of this.server.values()) store.unstage(packObjects('listed', [object]), 0);
    }
    store.beginReplace();
    const objects = [...this.server.values()];
    const batch = packObjects(
      'listed',
      objects.map(({ apiVersion: _, kind: __, ...item }) => item),
    );
    for (let index = 0; index < batch.length; index += 1) store.stage(batch, index);
    // An object that comes twice, and one that is deleted meanwhile.
    if (batch.length > 0) store.stage(batch, this.below(batch.length));
    if (batch.length > 0 && this.random() < 0.5) {
      const index = this.below(batch.length);
      store.unstage(batch, index);
      store.unstage(batch, index);
      this.server.delete(objectKeyText((objects[index] as Item).metadata));
    }
    expectEqual(this.contents(), before);
    store.commitReplace();
    this.check();
    for (const events of store.differences({ initial: before.size === 0, wentBack })) this.learn(events);
  }

  /** Views of all objects, of a namespace, and of a value of an index. */
  views(): SlowView[] {
    const { store } = this;
    const all = [...this.contents().values()];
    return [
      new SlowView(store.select({}), all),
      new SlowView(store.select({ namespace: 'shop' }), store.list('shop')),
      new SlowView(store.select({ indexes: [{ name: 'app', value: '"1"' }] }), store.byIndex('app', '"1"')),
    ];
  }

  contents(): Map<string, DeepReadonly<Item>> {
    return new Map(this.store.list().map((object) => [objectKeyText(object.metadata), object]));
  }

  check(): void {
    const { store, server } = this;
    const expected = new Map([...server].map(([key, object]) => [key, withoutManagedFields(object)]));
    expect(store.size).toBe(server.size);
    expectEqual(this.contents(), expected);
    for (const [key, object] of expected) {
      const { metadata } = object;
      expectEqual(store.get(metadata), object);
      if (objectKeyText(metadata) !== key) expect(metadata).toBe(key);
      expectEqual(
        [store.resourceVersionOf(metadata), store.isDeleting(metadata)],
        [(metadata as Partial<ObjectMeta>).resourceVersion ?? '', Boolean(metadata.deletionTimestamp)],
      );
    }
    for (const value of ['"1"', '"2"', 'none']) {
      const labelled = [...expected.values()].filter(({ metadata }) => metadata.labels?.['app'] === value);
      expectEqual(new Set(store.byIndex('app', value)), new Set(labelled));
      expectEqual(new Set(store.byIndex('path', value)), new Set(labelled));
    }
    for (const namespace of ['default', 'shop', '', 'none']) {
      const within = [...expected.values()].filter(({ metadata }) => (metadata.namespace ?? '') === namespace);
      expect(store.count(namespace)).toBe(within.length);
      expect(store.list(namespace)).toHaveLength(within.length);
      expectEqual(new Set(store.list(namespace)), new Set(within));
      expect([...store.keys(namespace)].map(objectKeyText).sort()).toEqual(
        within.map(({ metadata }) => objectKeyText(metadata)).sort(),
      );
    }
  }
}

function withoutManagedFields(object: Item): DeepReadonly<Item> {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** A view of the objects of a store that is read little by little, while the store changes. */
class SlowView {
  readonly #objects: Iterator<Selected<Item>, unknown>;
  readonly #expected: ReadonlySet<DeepReadonly<Item>>;
  readonly #found = new Set<DeepReadonly<Item>>();

  constructor(objects: Iterable<Selected<Item>>, expected: Iterable<DeepReadonly<Item>>) {
    this.#objects = objects[Symbol.iterator]();
    this.#expected = new Set(expected);
  }

  /** Reads a few objects. Returns whether objects are left. */
  read(count: number): boolean {
    for (; count > 0; count -= 1) {
      const { done, value } = this.#objects.next();
      if (done) {
        expectEqual(this.#found, this.#expected);
        return false;
      }
      if (typeof value === 'object') this.#found.add(value);
    }
    return true;
  }
}

/** Like `toEqual`, which takes too long for thousands of objects. */
function expectEqual(found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
}

describe('PackedStore as a map of objects', () => {
  /** Number of bytes that the stores of all tests moved. */
  let moved = 0;

  beforeAll(() => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    // So that work in spare time is interrupted after a few steps.
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (now += 0.5));
  });
  afterAll(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  const cases = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((seed) => [false, true].map((compress) => ({ seed, compress })));
  it.each(cases)('PC-2, PC-8: reads what the server sent (seed $seed, compress: $compress)', async (options) => {
    const { seed, compress } = options;
    const simulation = new Simulation(seed, { compress });
    let mostCompressed = 0;
    for (let count = 10; count > 0; count -= 1) simulation.watchEvent();
    simulation.store.addIndex('path', '.metadata.labels.app');
    let views: SlowView[] = [];
    for (let step = 0; step < 25; step += 1) {
      if (step % 3 === 0) views.push(...simulation.views());
      views = views.filter((view) => view.read(simulation.below(15)));
      for (let count = simulation.below(40); count > 0; count -= 1) simulation.watchEvent();
      // Now and then the store is quiet, so that all of it is compressed.
      await jest.advanceTimersByTimeAsync(simulation.random() < 0.3 ? 3_000 : simulation.below(30));
      mostCompressed = Math.max(mostCompressed, simulation.store.stats().compressed);
      simulation.check();
      expectEqual(simulation.learned, simulation.contents());
      if (simulation.random() < 0.4) {
        simulation.missChanges();
        simulation.relist({ wentBack: simulation.random() < 0.3 });
        simulation.check();
        expect(new Set(simulation.learned.keys())).toEqual(new Set(simulation.contents().keys()));
        for (const [key, object] of simulation.contents()) simulation.learned.set(key, object);
      }
    }
    for (const view of views) expect(view.read(Infinity)).toBe(false);
    moved += simulation.store.stats().moved;
    expect(mostCompressed > 0).toBe(compress);
    expect(simulation.store.stats().opens > 0).toBe(compress);
    const late = simulation.store.events();
    const contents = simulation.contents();
    for (let count = 100; count > 0; count -= 1) simulation.watchEvent();
    expectEqual(new Map(Array.from(late, ({ key, object }) => [objectKeyText(key), object])), contents);
    simulation.store.dispose();
    expect(simulation.store.size).toBe(0);
    expect(() => simulation.store.list()).toThrow('the informer has stopped');
    for (const [, check] of simulation.kept) check();
  });

  it('PC-2: entries were moved in these tests', () => {
    expect(moved).toBeGreaterThan(10_000);
  });
});
