import { constants, PerformanceObserver } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import { WholeBody } from '../transport/whole-body.ts';
import { allocatedInBulk } from './young-collections.ts';

/* Runs as a separate process: allocates memory as bulk work does, and counts the collections. */

export interface Collections {
  readonly young: number;
  readonly full: number;
  /** Full collections that a request made V8 finish. */
  readonly forced: number;
  /** Whether the application sees a global function that collects garbage. */
  readonly hasGlobal: boolean;
}

export type Work = 'receive' | 'decode';

const CHUNKS = 50_000;
const { NODE_PERFORMANCE_GC_MAJOR, NODE_PERFORMANCE_GC_MINOR, NODE_PERFORMANCE_GC_FLAGS_FORCED } = constants;
const counts = { young: 0, full: 0, forced: 0 };

function count({ kind, flags }: { readonly kind: number; readonly flags: number }): void {
  if (kind === NODE_PERFORMANCE_GC_MINOR) counts.young += 1;
  if (kind !== NODE_PERFORMANCE_GC_MAJOR) return;
  counts.full += 1;
  if (flags & NODE_PERFORMANCE_GC_FLAGS_FORCED) counts.forced += 1;
}

/** Reads a body of 400 MB in chunks, as Node.js receives them. */
async function receive(): Promise<void> {
  let sent = 0;
  const body = new Readable({
    read() {
      sent += 1;
      setImmediate(() => this.push(sent > CHUNKS ? null : new Uint8Array(8_000)));
    },
  });
  const limit = { name: 'list', bytes: Infinity } as const;
  let received = 0;
  const whole = new WholeBody({ status: 200, headers: {}, body }, { host: 'h:1', limit, until: (step) => step });
  for (let group = await whole.next(); group; group = await whole.next()) received += group.length;
  whole.close();
  if (received !== CHUNKS) throw new Error(`expected ${CHUNKS} chunks, received ${received}`);
}

/** Decodes 300 MB, and keeps all objects. */
async function decode(): Promise<void> {
  const text = JSON.stringify({ items: Array.from({ length: 10_000 }, (_, i) => ({ name: `item-${i}` })) });
  const kept: unknown[] = [];
  for (let turn = 0; turn < 1_500; turn += 1) {
    kept.push(JSON.parse(text));
    allocatedInBulk(2.5 * text.length);
    await nextTurn();
  }
  if (kept.length !== 1_500) throw new Error('objects are missing');
}

// Objects that survive let the young generation grow, as they do when a program starts.
const survivors: unknown[] = [];
for (let i = 0; i < 1_000_000; i += 1) survivors.push({ i });
survivors.length = 0;

const observer = new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries() as unknown as { detail: { kind: number; flags: number } }[]) count(detail);
});
observer.observe({ entryTypes: ['gc'] });
const work: Record<Work, () => Promise<void>> = { receive, decode };
await work[process.argv[2] as Work]();
await setTimeout(10);
const result: Collections = { ...counts, hasGlobal: 'gc' in globalThis };
process.stdout.write(JSON.stringify(result));
