import type { Cache, KindCacheStats } from '@mcr/client';
import type { ClusterName } from '../../fleet/multicluster/cluster-name.ts';
import { BoundedLabel } from './bounded-label.ts';

/** The cache of an engaged cluster. */
export interface MeasuredCache {
  readonly name: ClusterName;
  readonly cache: Pick<Cache, 'stats'>;
}

/** Figures that only grow, for the counters of one kind. */
export type CacheTotals = Record<(typeof TOTALS)[number], number>;

export interface CacheFigures {
  /** A row for each cluster and kind. Rows beyond a limit of a label have the same labels. */
  readonly rows: readonly { readonly cluster: string; readonly kind: string; readonly stats: KindCacheStats }[];
  /** Totals of all clusters by kind, for the kinds that are cached now. */
  readonly totals: ReadonlyMap<string, CacheTotals>;
}

const TOTALS = ['decodes', 'metadataDecodes', 'decodeHits', 'openedBlocks', 'compactions', 'movedBytes'] as const;

/** Maximum number of values of the label `kind`. */
const MAX_KINDS = 100;

/**
 * Reads the figures of caches. Totals by kind do not decrease while the kind is cached, although clusters leave: each
 * reading adds what the present caches have counted since the previous one.
 */
export class CacheFigureReader {
  readonly #caches: () => Iterable<MeasuredCache>;
  // Other metrics have samples of some clusters; these have samples of all, and must not use up the label of the others.
  readonly #clusterLabel: BoundedLabel;
  readonly #kindLabel = new BoundedLabel(MAX_KINDS);
  readonly #totals = new Map<string, CacheTotals>();
  /** The previous figures of each cache, by kind. */
  readonly #previous = new WeakMap<MeasuredCache['cache'], ReadonlyMap<string, KindCacheStats>>();
  #latest: CacheFigures | undefined;

  /** @param maxClusterLabels maximum number of values of the label `cluster`. */
  constructor(caches: () => Iterable<MeasuredCache>, maxClusterLabels: number) {
    this.#caches = caches;
    this.#clusterLabel = new BoundedLabel(maxClusterLabels);
  }

  /** Returns the figures. Calls within one turn, such as those of all metrics of a scrape, read the caches once. */
  read(): CacheFigures {
    if (!this.#latest) {
      this.#latest = this.#read();
      queueMicrotask(() => (this.#latest = undefined));
    }
    return this.#latest;
  }

  #read(): CacheFigures {
    const rows: CacheFigures['rows'][number][] = [];
    for (const { name, cache } of this.#caches()) {
      const kinds = cache.stats?.() ?? [];
      const previous = this.#previous.get(cache);
      for (const stats of kinds) {
        const kind = this.#kindLabel.of(stats.kind);
        rows.push({ cluster: this.#clusterLabel.of(name), kind, stats });
        this.#add(kind, stats, previous?.get(stats.kind));
      }
      this.#previous.set(cache, new Map(kinds.map((stats) => [stats.kind, stats])));
    }
    // A series from before the label was turned off stays while its kind is cached.
    const cached = new Set(rows.flatMap(({ kind, stats }) => [kind, stats.kind]));
    for (const kind of this.#totals.keys()) if (!cached.has(kind)) this.#totals.delete(kind);
    return { rows, totals: this.#totals };
  }

  #add(kind: string, stats: KindCacheStats, previous: KindCacheStats | undefined): void {
    let totals = this.#totals.get(kind);
    if (!totals) {
      totals = { decodes: 0, metadataDecodes: 0, decodeHits: 0, openedBlocks: 0, compactions: 0, movedBytes: 0 };
      this.#totals.set(kind, totals);
    }
    for (const figure of TOTALS) {
      const before = previous?.[figure] ?? 0;
      // A cache that dropped a kind and cached it again counts from 0.
      totals[figure] += stats[figure] < before ? stats[figure] : stats[figure] - before;
    }
  }
}
