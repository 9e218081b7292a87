/** Percentiles of durations, in whole milliseconds. */
export interface Summary {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export function summaryOf(durations: readonly number[]): Summary {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (fraction: number) => Math.round(sorted[Math.ceil(sorted.length * fraction) - 1] ?? 0);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
