import type { Metrics } from '@mcr/core';

/** A sample of a metric. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
}

/** Reads one metric of a manager. Returns no samples if it does not exist. */
export async function samplesOf({ registry }: Pick<Metrics, 'registry'>, name: string): Promise<readonly Sample[]> {
  return (await registry.getSingleMetric(name)?.get())?.values ?? [];
}

/** Adds up samples by the value of a label. */
export function sumsBy(label: string, samples: readonly Sample[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { labels, value } of samples) {
    const name = String(labels[label]);
    sums.set(name, (sums.get(name) ?? 0) + value);
  }
  return sums;
}
