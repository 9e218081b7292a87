import type { Percentiles } from '../protocol.ts';
import type { Sample } from './samples.ts';

/** A histogram of Prometheus. */
export interface Histogram {
  /** Upper bounds, ascending, with the number of values up to each one. The last bound is infinite. */
  readonly buckets: readonly (readonly [bound: number, count: number])[];
  readonly count: number;
}

/** Returns the histograms of a metric by the value of a label. Histograms with the same value are added up. */
export function histogramsBy(label: string, samples: readonly Sample[]): Map<string, Histogram> {
  const byValue = new Map<string, Map<number, number>>();
  for (const { labels, value } of samples) {
    if (labels['le'] === undefined) continue;
    const name = String(labels[label]);
    const counts = byValue.get(name) ?? new Map<number, number>();
    const bound = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
    byValue.set(name, counts.set(bound, (counts.get(bound) ?? 0) + value));
  }
  return new Map(
    [...byValue].map(([name, counts]) => {
      const buckets = [...counts].sort(([a], [b]) => a - b);
      return [name, { buckets, count: buckets.at(-1)?.[1] ?? 0 }];
    }),
  );
}

/** Returns the histogram of the values that were added since `before`. */
export function since(before: Histogram | undefined, now: Histogram): Histogram {
  if (!before) return now;
  const buckets = now.buckets.map(
    ([bound, count], index) => [bound, count - (before.buckets[index]?.[1] ?? 0)] as const,
  );
  return { buckets, count: now.count - before.count };
}

/** Returns `undefined` for a histogram without values. */
export function percentilesOf(histogram: Histogram): Percentiles | undefined {
  return histogram.count > 0 ? { p50: quantile(histogram, 0.5), p99: quantile(histogram, 0.99) } : undefined;
}

/** Interpolates within a bucket, as `histogram_quantile` of Prometheus does. */
function quantile({ buckets, count }: Histogram, share: number): number {
  const rank = share * count;
  let [below, start] = [0, 0];
  for (const [bound, upTo] of buckets) {
    if (upTo >= rank) {
      if (bound === Infinity || upTo === below) return start;
      return start + ((bound - start) * (rank - below)) / (upTo - below);
    }
    [below, start] = [upTo, bound];
  }
  return start;
}
