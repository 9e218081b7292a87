/** How much work a run does: all of it, or just enough to show that the scenario works. */
export type Size = 'full' | 'smoke';

export interface Measurement {
  /** The system's figure, in the scenario's unit. */
  readonly value: number;
  /** The same work done bare, in the same unit; `null` where nothing corresponds to it. */
  readonly floor: number | null;
  /** Further figures worth keeping. */
  readonly details?: Readonly<Record<string, number>>;
}

/** One row of the performance budgets. Runs in a process of its own; servers it needs run in others. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  /** The goal in words. */
  readonly goal: string;
  /** Without a floor, `floor` and `ratio` are NaN. */
  isMet(measurement: Measurement & { readonly floor: number; readonly ratio: number }): boolean;
  measure(size: Size): Promise<Measurement>;
}

/** Milliseconds that `work` takes: the median of `runs`. */
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

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
