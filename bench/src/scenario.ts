/** Amount of work of a run: all of it, or just enough to check that the scenario works. */
export type Size = 'full' | 'smoke';

export interface Measurement {
  /** The first goal of the row, measured with the reference Pod if the scenario caches objects. */
  readonly value: number;
  /** The same work without this library, in the same unit; `null` if there is no equivalent. */
  readonly floor: number | null;
  /** Figures of the other goals, and additional ones. `mixed` is the value with diverse objects. */
  readonly details: Readonly<Record<string, number>>;
}

/** A measurement as goals read it. Absent figures are NaN, so that a comparison with them fails. */
export interface Figures {
  readonly value: number;
  readonly floor: number;
  /** `value / floor`. */
  readonly ratio: number;
  detail(this: void, name: string): number;
}

/** A row of the performance budgets. Each scenario runs in a separate process; its servers run in others. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  /** The goals, as text. */
  readonly goal: string;
  /** Reports whether every goal is met. */
  isMet(figures: Figures): boolean;
  measure(size: Size): Promise<Measurement>;
}

/** Returns the median time of `work` over `runs` runs, in milliseconds. */
export async function medianTime(runs: number, work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    globalThis.gc?.();
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return median(times);
}

/** Returns the value that the given share of `values`, from 0 to 1, does not exceed. NaN if one of them is NaN, or there are none. */
export function percentile(values: readonly number[], share: number): number {
  if (values.some(Number.isNaN)) return NaN;
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
