import { constants, PerformanceObserver } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { WholeBody } from './whole-body.ts';

/* Runs as a separate process: reads a body of 400 MB in chunks, as Node.js receives them, and counts full collections. */

export interface Collections {
  readonly full: number;
  readonly young: number;
  /** Whether the application sees a global function that collects garbage. */
  readonly hasGlobal: boolean;
}

const CHUNKS = 50_000;
const counts = { full: 0, young: 0 };

// Objects that survive let the young generation grow, as they do when a program starts.
const survivors: unknown[] = [];
for (let i = 0; i < 1_000_000; i += 1) survivors.push({ i });
survivors.length = 0;

const observer = new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries() as unknown as { readonly detail: { readonly kind: number } }[]) {
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) counts.full += 1;
    if (detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) counts.young += 1;
  }
});
observer.observe({ entryTypes: ['gc'] });

let sent = 0;
const body = new Readable({
  read() {
    sent += 1;
    setImmediate(() => this.push(sent > CHUNKS ? null : new Uint8Array(8_000)));
  },
});
const limit = { name: 'list', bytes: Infinity } as const;
let received = 0;
const whole = new WholeBody({ status: 200, headers: {}, body }, { host: 'h:1', limit });
for (let group = await whole.next(); group; group = await whole.next()) received += group.length;
whole.close();
if (received !== CHUNKS) throw new Error(`expected ${CHUNKS} chunks, received ${received}`);
await setTimeout(10);
const result: Collections = { ...counts, hasGlobal: 'gc' in globalThis };
process.stdout.write(JSON.stringify(result));
