import type { KindCacheStats } from '@mcr/client';
import type { Counter } from 'prom-client';
import type { CacheFigureReader, CacheTotals } from './cache-figures.ts';
import type { NewGauge } from './prometheus-fleet.ts';

/** Registers a counter. `collect` is called when the metrics are read. */
export type NewCounter = (
  name: string,
  help: string,
  labelNames: readonly string[],
  collect: () => void,
) => Pick<Counter, 'inc' | 'reset'>;

export interface CacheMetricsOptions {
  readonly gauge: NewGauge;
  readonly counter: NewCounter;
}

/**
 * Registers the metrics of caches. Sizes have a series for each cluster and kind. Counters show what the program does
 * with a kind, so they have no label `cluster`, and a large fleet does not multiply their series.
 */
export function registerCacheMetrics(
  figures: Pick<CacheFigureReader, 'read'>,
  { gauge, counter }: CacheMetricsOptions,
): void {
  const size = (name: string, help: string, figure: Exclude<keyof KindCacheStats, 'kind'>): void => {
    const metric = gauge(name, help, ['cluster', 'kind'], () => {
      metric.reset();
      for (const { cluster, kind, stats } of figures.read().rows) metric.inc({ cluster, kind }, stats[figure]);
    });
  };
  size('mcr_cache_objects', 'Number of cached objects, by cluster and kind.', 'objects');
  size(
    'mcr_cache_decoded_objects',
    'Number of cached objects that are kept decoded on the heap, by cluster and kind.',
    'decodedObjects',
  );
  size('mcr_cache_object_bytes', 'Size of cached objects in bytes, by cluster and kind.', 'objectBytes');
  size(
    'mcr_cache_compressed_bytes',
    'Memory that compressed objects of caches take in bytes, by cluster and kind.',
    'compressedBytes',
  );
  size(
    'mcr_cache_memory_bytes',
    'Memory of caches outside the heap in bytes, with free space, tables and indexes, by cluster and kind.',
    'memoryBytes',
  );

  const total = (name: string, help: string, figure: keyof CacheTotals): void => {
    const metric = counter(name, help, ['kind'], () => {
      metric.reset();
      for (const [kind, totals] of figures.read().totals) metric.inc({ kind }, totals[figure]);
    });
  };
  total('mcr_cache_decodes_total', 'Total number of times a cached object was decoded, by kind.', 'decodes');
  total(
    'mcr_cache_metadata_decodes_total',
    'Total number of times the metadata of a cached object was decoded without the rest, by kind.',
    'metadataDecodes',
  );
  total(
    'mcr_cache_decode_hits_total',
    'Total number of reads that found a cached object decoded, by kind.',
    'decodeHits',
  );
  total(
    'mcr_cache_opened_blocks_total',
    'Total number of compressed blocks that reads of cached objects opened, by kind.',
    'openedBlocks',
  );
  total(
    'mcr_cache_compactions_total',
    'Total number of pieces of memory that caches compacted, by kind.',
    'compactions',
  );
  total('mcr_cache_moved_bytes_total', 'Total number of bytes that compactions moved, by kind.', 'movedBytes');
}
