import { createInterface } from 'node:readline';

/** The work of a program, as the first line of its standard input describes it. */
export interface Job {
  readonly row: string;
  /** Clusters to measure. */
  readonly urls: readonly string[];
  /** A cluster of its own for a manager. */
  readonly hub: string;
  /** Certificate authority of all servers, in PEM. */
  readonly ca: string;
  /** Bearer token that servers accept at first. */
  readonly token: string;
  readonly resource: Resource;
  /** Number of objects of each kind in each cluster; of items in rows without a server. */
  readonly objects: number;
  /** Number of updates of each cluster. */
  readonly updates: number;
  /** Bytes on the wire of the initial events, and of the updates, of `resource`. */
  readonly initialBytes: number;
  readonly flowBytes: number;
}

export type Resource = 'pods' | 'configmaps' | 'widgets';

/** Resource version of the initial state. The updates have later versions. */
export const LISTED = 1_000_000;

/** A program's side of its conversation with the runner. */
export class Steps {
  readonly #lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  #started = performance.now();
  #processor = process.cpuUsage();

  async job(): Promise<Job> {
    return JSON.parse((await this.#line()) ?? '{}') as Job;
  }

  /** Waits until the runner starts the next step. Returns its argument, or undefined if there is no further step. */
  async next(): Promise<string | undefined> {
    const line = await this.#line();
    this.#started = performance.now();
    this.#processor = process.cpuUsage();
    return line;
  }

  /** Reports the end of a step, with the wall time and processor time since the step began. */
  report(figures: Readonly<Record<string, number>> = {}): void {
    const ms = performance.now() - this.#started;
    const { user, system } = process.cpuUsage(this.#processor);
    // Resident memory is compared after a collection, in every language.
    for (let time = 0; time < 2; time++) globalThis.gc?.();
    console.log(JSON.stringify({ ms, cpu: (user + system) / 1e6, ...figures }));
  }

  async #line(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next();
    return done ? undefined : value;
  }
}

/** Runs the row that the runner asks for, and exits when it is over. */
export async function runRow(rows: Readonly<Record<string, (job: Job, steps: Steps) => Promise<void>>>): Promise<void> {
  const steps = new Steps();
  const job = await steps.job();
  const row = rows[job.row];
  if (!row) throw new Error(`row ${job.row} is not part of this program`);
  await row(job, steps);
  await steps.next();
  process.exit(0);
}

/** Repeats a step for as long as the runner asks for it. */
export async function repeat(steps: Steps, work: () => Promise<void>): Promise<void> {
  steps.report();
  while ((await steps.next()) !== undefined) {
    await work();
    steps.report();
  }
}

/** Returns the given share of the sorted latencies as `p50` and `p99`, in milliseconds. */
export function percentiles(latencies: number[]): { p50: number; p99: number } {
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Milliseconds since the epoch, as the server stamps its changes. */
export function wallClock(): number {
  return performance.timeOrigin + performance.now();
}

/** Counts down to a promise. */
export class Countdown {
  readonly #done = Promise.withResolvers<void>();
  #left: number;

  constructor(count: number) {
    this.#left = count;
    if (count === 0) this.#done.resolve();
  }

  get done(): Promise<void> {
    return this.#done.promise;
  }

  tick(): void {
    this.#left -= 1;
    if (this.#left === 0) this.#done.resolve();
  }
}

/** Calls `work` for each item, at most `concurrency` at a time. */
export async function forEachOf<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
