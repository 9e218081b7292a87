import { setImmediate } from 'node:timers/promises';
import { collectGarbage } from '../garbage/garbage.fixture.ts';
import { defineKind } from '../kinds/kind.ts';
import type { KubernetesObject } from '../kinds/object.ts';
import { packTexts } from '../packed/pack-objects.ts';
import { PackedStore } from './packed-store.ts';

/* Runs as a separate process with a small heap: reads more objects than fit into it. argv: the structure of the objects. */

/** JSON of the field `data` of an object. */
const STRUCTURES: Readonly<Record<string, (index: number) => string>> = {
  'small objects': (index) =>
    JSON.stringify({
      ports: Array.from({ length: 20 }, (_, at) => index + at).map((port) => ({
        port,
        protocol: 'TCP',
        name: `port-${port}`,
      })),
    }),
  'short lists of empty objects': () => `[${'{},'.repeat(3_000)}{}]`,
  'long lists of empty objects': () => `[${'{},'.repeat(50_000)}{}]`,
  'nested lists': () => `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  'names of their own': (index) => `[${Array.from({ length: 500 }, (_, at) => `{"${index * 500 + at}":0}`).join(',')}]`,
};

export interface DecodedHeap {
  /** Heap that all objects took after their first read, in bytes: the sum. */
  readonly decoded: number;
  /** Heap that the kept objects take, in bytes. */
  readonly kept: number;
  readonly keptObjects: number;
}

/** Heap in bytes that is decoded in total, by an upper estimate for these structures. */
const TOTAL = 80 * 1024 * 1024;

const textOf = STRUCTURES[process.argv[2] ?? ''];
if (!textOf) throw new TypeError('argv: a structure');
const heap = (): number => process.memoryUsage().heapUsed;
const sample = textOf(0);
await collectGarbage();
const before = heap();
const samples = Array.from({ length: Math.ceil(100_000 / sample.length) }, (): unknown => JSON.parse(sample));
await collectGarbage();
const heapOfOne = (heap() - before) / samples.length;
samples.length = 0;

const Kind = defineKind({ apiVersion: 'v1', kind: 'Item' });
const store = new PackedStore<KubernetesObject>({ kind: Kind, freeze: false });
const count = Math.ceil(TOTAL / heapOfOne);
for (let index = 0; index < count; index += 1) {
  const text = `{"apiVersion":"v1","kind":"Item","metadata":{"name":"a${index}","uid":"u"},"data":${textOf(index)}}`;
  store.apply(packTexts('ADDED', [Buffer.from(text)]), 0);
  if (index % 10 === 0) await setImmediate();
}
await collectGarbage();
const empty = heap();
for (let index = 0; index < count; index += 1) {
  store.get({ name: `a${index}` });
  if (index % 10 === 0) await setImmediate();
}
await collectGarbage();
const result: DecodedHeap = { decoded: count * heapOfOne, kept: heap() - empty, keptObjects: store.stats().kept };
process.stdout.write(JSON.stringify(result));
