import { processorTime } from '../processor-time.ts';
import { serveCommands } from '../program.ts';
import { referencePodJson } from '../samples/reference-pod.ts';
import { shuffled } from '../samples/random.ts';
import { kindAt } from '../samples/sample.ts';
import type { CachedSampleOptions } from './cached-sample.ts';
import { CachedSample } from './cached-sample.ts';
import { highestMemory, memoryAtRest } from './memory.ts';
import { measureStall } from './stall.ts';

type Sync = CachedSampleOptions & { readonly objects: number };

const held: CachedSample[] = [];
/** Live heap that belongs to the application. */
const ballast: unknown[] = [];
let marked = 0;

const commands = {
  /** Syncs a sample and drops it again. @returns the processor time until all objects were handled, in milliseconds. */
  async sync(options: Sync): Promise<number> {
    globalThis.gc?.();
    const started = processorTime();
    await using sample = await syncSample(options);
    const used = processorTime() - started;
    checkSize(sample, options);
    return used;
  },

  /** Syncs a sample and holds it. @returns the processor time in milliseconds. */
  async hold(options: Sync): Promise<number> {
    const started = processorTime();
    const sample = await syncSample(options);
    const used = processorTime() - started;
    checkSize(sample, options);
    held.push(sample);
    return used;
  },

  /** Marks the start of a measurement that {@link commands.handled} ends. */
  mark(): void {
    globalThis.gc?.();
    marked = processorTime();
  },

  /**
   * Waits until the sample that was held last has handled `count` events since its start.
   *
   * @returns the processor time since the mark, in milliseconds.
   */
  async handled(count: number): Promise<number> {
    await lastHeld().untilHandled(count);
    return processorTime() - marked;
  },

  /** @param quiet see {@link memoryAtRest}. */
  memory: (quiet: number) => memoryAtRest(quiet),

  /** @returns the highest resident memory so far, in bytes. */
  highestMemory: () => highestMemory(),

  /** Fills the heap with live objects. */
  addBallast(bytes: number): void {
    const { heapUsed } = process.memoryUsage();
    while (process.memoryUsage().heapUsed < heapUsed + bytes) {
      for (let i = 0; i < 1_000; i++) ballast.push(JSON.parse(referencePodJson(ballast.length, 1)));
    }
  },

  /** Syncs a sample on an open connection. @returns the stalls of the event loop. */
  async stall(options: Sync) {
    await using sample = new CachedSample(options);
    await sample.cluster.apiReader.list(kindAt(options.sample, 0).kind, { limit: 1 });
    globalThis.gc?.();
    return await measureStall(async () => {
      await sample.start(options);
      await sample.untilHandled(options.objects);
    });
  },

  /**
   * Reads objects of the held sample by key, in random order: `count` reads that are spread over `distinct` objects.
   *
   * @returns the processor time of a read, in microseconds.
   */
  gets({ sample, objects, distinct, count }: Reads): number {
    const reads = [...shuffled(objects).subarray(0, distinct)].map((index) => {
      const position = kindAt(sample, index);
      const store = lastHeld().informer(lastHeld().kinds.indexOf(position)).store;
      return { store, key: position.key(index) };
    });
    globalThis.gc?.();
    const started = processorTime();
    for (let read = 0; read < count; read++) {
      const { store, key } = reads[read % distinct] ?? {};
      if (!key || !store?.get(key)) throw new Error(`object ${JSON.stringify(key)} is not in the cache`);
    }
    return ((processorTime() - started) / count) * 1_000;
  },

  /** Lists all objects of the held sample. @returns the processor time and the longest turn, in milliseconds. */
  async list(times: number) {
    const { cluster, kinds, size } = lastHeld();
    globalThis.gc?.();
    let used = 0;
    const { max } = await measureStall(async () => {
      const started = processorTime();
      for (let time = 0; time < times; time++) {
        let found = 0;
        for (const { kind } of kinds) found += (await cluster.client.list(kind)).items.length;
        if (found !== size) throw new Error(`expected ${size} objects, listed ${found}`);
      }
      used = processorTime() - started;
    });
    return { processorTime: used / times, longestTurn: max };
  },
};

export interface Reads {
  readonly sample: CachedSampleOptions['sample'];
  /** Number of objects of the sample. */
  readonly objects: number;
  readonly distinct: number;
  readonly count: number;
}

/** Commands of the client. */
export type CacheClientCommands = typeof commands;

async function syncSample(options: Sync): Promise<CachedSample> {
  const sample = new CachedSample(options);
  await sample.start(options);
  await sample.untilHandled(options.objects);
  return sample;
}

function checkSize({ size }: CachedSample, { objects }: Sync): void {
  if (size !== objects) throw new Error(`expected ${objects} objects, cached ${size}`);
}

function lastHeld(): CachedSample {
  const sample = held.at(-1);
  if (!sample) throw new Error('no sample is held');
  return sample;
}

serveCommands(commands);
