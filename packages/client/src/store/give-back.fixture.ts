import { randomBytes } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { defineKind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { packObjects } from '../packed/pack-objects.ts';
import { PackedStore } from './packed-store.ts';

/*
 * Runs as a separate process: fills a store, removes objects, and waits until memory has been given back.
 * argv: `delete` or `dispose`, `idle` or `busy`, and `plain` or `compressed`.
 */

export interface GiveBack {
  /** Size of the removed objects, in bytes. */
  readonly removed: number;
  /** Memory by which the resident set has shrunk since before the removal, in bytes. */
  readonly shrunk: number;
  readonly seconds: number;
}

const COUNT = 100_000;
const BATCH = 100;
const Kind = defineKind<KubernetesObject & { data: string }>({ apiVersion: 'v1', kind: 'Item' });
const [removal, load, form] = process.argv.slice(2);
const compress = form === 'compressed';
/** Time in which the pool drops the slabs of the plain objects, in milliseconds. */
const TRIMMED_AFTER = 15_000;

function batch(from: number, type: 'ADDED' | 'DELETED') {
  const objects = Array.from({ length: BATCH }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Item',
    metadata: { name: `item-${from + index}`, namespace: 'default', uid: `u${from + index}`, resourceVersion: '1' },
    // Hexadecimal digits of random bytes take half of their size when they are compressed, as much as the plain text.
    data: compress ? randomBytes(1_500).toString('hex') : 'x'.repeat(1_500),
  }));
  return packObjects(type, objects);
}

async function apply(
  store: PackedStore<KubernetesObject & { data: string }>,
  type: 'ADDED' | 'DELETED',
  count: number,
) {
  for (let from = 0; from < count; from += BATCH) {
    const changes = batch(from, type);
    for (let index = 0; index < changes.length; index += 1) store.apply(changes, index);
    await setImmediate();
  }
}

/** Waits; if busy, with garbage in the young generation, as an application makes it. */
async function work(until: () => boolean) {
  while (!until()) {
    if (load === 'busy') JSON.stringify(Array.from({ length: 1_000 }, (_, index) => ({ index, text: String(index) })));
    await setTimeout(load === 'busy' ? 1 : 100);
  }
}

// First the same with another store, so that the heap and the buffers of batches have their usual size.
const warmUp = new PackedStore({ kind: Kind, freeze: false, compress });
await apply(warmUp, 'ADDED', COUNT);
await apply(warmUp, 'DELETED', COUNT);
warmUp.dispose();

const store = new PackedStore({ kind: Kind, freeze: false, compress });
await apply(store, 'ADDED', COUNT);
if (compress) {
  await work(() => store.stats().compressed > 0.99 * store.stats().alive);
  await setTimeout(TRIMMED_AFTER);
}
const { alive } = store.stats();
const full = process.memoryUsage.rss();
if (removal === 'dispose') store.dispose();
else await apply(store, 'DELETED', COUNT * 0.9);
const removed = alive - store.stats().alive;
const start = performance.now();
const shrunk = (): number => full - process.memoryUsage.rss();
await work(() => shrunk() >= 0.8 * removed || performance.now() - start > 60_000);
const result: GiveBack = { removed, shrunk: shrunk(), seconds: (performance.now() - start) / 1_000 };
process.stdout.write(JSON.stringify(result));
