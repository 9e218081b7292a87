import { beforeEach, describe, expect, it } from '@jest/globals';
import type { KindCacheStats } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import type { MeasuredCache } from './cache-figures.ts';
import { PrometheusMetrics } from './prometheus-metrics.ts';

const nothing: Omit<KindCacheStats, 'kind'> = {
  objects: 0,
  decodedObjects: 0,
  objectBytes: 0,
  compressedBytes: 0,
  memoryBytes: 0,
  decodes: 0,
  metadataDecodes: 0,
  decodeHits: 0,
  openedBlocks: 0,
  compactions: 0,
  movedBytes: 0,
};

/** A cache with the statistics of a test. */
class FakeCache {
  kinds: KindCacheStats[] = [];
  reads = 0;

  /** Sets the statistics of kinds. */
  set(kinds: Readonly<Record<string, Partial<KindCacheStats>>>): void {
    this.kinds = Object.entries(kinds).map(([kind, stats]) => ({ ...nothing, ...stats, kind }));
  }

  stats(): KindCacheStats[] {
    this.reads += 1;
    return this.kinds;
  }
}

describe('metrics of caches', () => {
  let metrics: PrometheusMetrics;
  let caches: Record<string, MeasuredCache['cache']>;
  const [east, west] = [new FakeCache(), new FakeCache()];

  beforeEach(async () => {
    metrics = await PrometheusMetrics.create({ clock: new VirtualClock(), maxClusterLabels: 2 });
    caches = { 'eu-1': east, 'eu-2': west };
    metrics.caches(() => Object.entries(caches).map(([name, cache]) => ({ name, cache })));
    for (const cache of [east, west]) cache.set({});
  });

  /** Returns the samples of one metric by their labels, as text. */
  async function samples(name: string): Promise<Record<string, number>> {
    const text = await metrics.registry.metrics();
    const found = text.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gmu'));
    return Object.fromEntries(Array.from(found, ([, labels = '', value]) => [labels, Number(value)]));
  }

  it('shows sizes by cluster and kind, until the kind is no longer cached', async () => {
    east.set({
      'v1 Pod': { objects: 2, decodedObjects: 1, objectBytes: 3_500, compressedBytes: 700, memoryBytes: 8_192 },
      'v1 Secret': { objects: 1 },
    });
    west.set({ 'v1 Pod': { objects: 5 } });
    expect(await samples('mcr_cache_objects')).toEqual({
      'cluster="eu-1",kind="v1 Pod"': 2,
      'cluster="eu-1",kind="v1 Secret"': 1,
      'cluster="eu-2",kind="v1 Pod"': 5,
    });
    expect(await samples('mcr_cache_decoded_objects')).toMatchObject({ 'cluster="eu-1",kind="v1 Pod"': 1 });
    expect(await samples('mcr_cache_object_bytes')).toMatchObject({ 'cluster="eu-1",kind="v1 Pod"': 3_500 });
    expect(await samples('mcr_cache_compressed_bytes')).toMatchObject({ 'cluster="eu-1",kind="v1 Pod"': 700 });
    expect(await samples('mcr_cache_memory_bytes')).toMatchObject({ 'cluster="eu-1",kind="v1 Pod"': 8_192 });

    east.set({ 'v1 Pod': { objects: 1 } });
    delete caches['eu-2'];
    expect(await samples('mcr_cache_objects')).toEqual({ 'cluster="eu-1",kind="v1 Pod"': 1 });
  });

  it('counts by kind in all clusters', async () => {
    east.set({
      'v1 Pod': { decodes: 3, metadataDecodes: 2, decodeHits: 10, openedBlocks: 6, compactions: 1, movedBytes: 700 },
    });
    west.set({ 'v1 Pod': { decodes: 1, movedBytes: 50 }, 'v1 Secret': { decodes: 4 } });
    expect(await samples('mcr_cache_decodes_total')).toEqual({ 'kind="v1 Pod"': 4, 'kind="v1 Secret"': 4 });
    expect(await samples('mcr_cache_metadata_decodes_total')).toMatchObject({ 'kind="v1 Pod"': 2 });
    expect(await samples('mcr_cache_decode_hits_total')).toMatchObject({ 'kind="v1 Pod"': 10 });
    expect(await samples('mcr_cache_opened_blocks_total')).toMatchObject({ 'kind="v1 Pod"': 6 });
    expect(await samples('mcr_cache_compactions_total')).toMatchObject({ 'kind="v1 Pod"': 1 });
    expect(await samples('mcr_cache_moved_bytes_total')).toMatchObject({ 'kind="v1 Pod"': 750 });
  });

  it('lets no counter decrease when a cluster leaves, or when a cache drops a kind and caches it again', async () => {
    const total = async () => (await samples('mcr_cache_decodes_total'))['kind="v1 Pod"'];
    east.set({ 'v1 Pod': { decodes: 5 } });
    west.set({ 'v1 Pod': { decodes: 7 } });
    expect(await total()).toBe(12);
    delete caches['eu-2'];
    expect(await total()).toBe(12);
    east.set({ 'v1 Pod': { decodes: 6 } });
    expect(await total()).toBe(13);
    east.set({ 'v1 Pod': { decodes: 2 } });
    expect(await total()).toBe(15);
    east.set({});
    expect(await total()).toBeUndefined();
  });

  it('aggregates clusters and kinds beyond their limits', async () => {
    const kinds = Object.fromEntries(
      Array.from({ length: 150 }, (_, i) => [`v1 Kind${i}`, { objects: 1, decodes: 1 }]),
    );
    for (let i = 0; i < 500; i += 1) {
      const cache = new FakeCache();
      cache.set(kinds);
      caches[`eu-${i}`] = cache;
    }
    await metrics.registry.metrics();
    const objects = await samples('mcr_cache_objects');
    expect(objects).toEqual({ 'cluster="*",kind="*"': 75_000 });
    const decodes = await samples('mcr_cache_decodes_total');
    expect(Object.values(decodes).reduce((a, b) => a + b)).toBe(75_000);
    expect(Object.keys(decodes).length).toBeLessThanOrEqual(101);
  });

  it('reads each cache once for all metrics of a scrape, and not in between', async () => {
    east.reads = 0;
    await metrics.registry.metrics();
    expect(east.reads).toBe(1);
    await metrics.registry.metrics();
    expect(east.reads).toBe(2);
  });

  it('omits clusters whose cache is not measured', async () => {
    caches = { 'eu-1': {}, 'eu-2': west };
    west.set({ 'v1 Pod': { objects: 1 } });
    expect(await samples('mcr_cache_objects')).toEqual({ 'cluster="eu-2",kind="v1 Pod"': 1 });
  });
});
