import type { Cluster, Manager, Metrics } from '@mcr/core';
import type { ClusterDetail, ClusterReconciles } from '../protocol.ts';
import { histogramsBy, percentilesOf } from './histogram.ts';
import { type Sample, samplesOf } from './samples.ts';

export interface DetailSources {
  readonly manager: Pick<Manager, 'fleet' | 'getCluster'>;
  readonly metrics: Pick<Metrics, 'registry'>;
}

/** Returns everything about one cluster, or `undefined` if the manager does not know it. */
export async function clusterDetail(
  name: string,
  { manager, metrics }: DetailSources,
): Promise<ClusterDetail | undefined> {
  const status = manager.fleet.get(name);
  if (!status) return undefined;
  const cluster = await manager.getCluster(name).catch(() => undefined);
  const kinds = cluster?.cache.stats?.().map(({ kind, objects, objectBytes: bytes }) => ({ kind, objects, bytes }));
  const requests = cluster && (await requestsTo(cluster, metrics));
  return {
    status,
    controllers: await reconcilesIn(name, metrics),
    ...(kinds && { kinds }),
    ...(requests && { requests }),
  };
}

/** Value of a label beyond its limit, `metrics.maxClusterLabels`. From then on, the other values are not counted any more. */
const ANY = '*';

async function reconcilesIn(name: string, metrics: DetailSources['metrics']): Promise<ClusterReconciles[]> {
  const byController = new Map<string, Record<string, number>>();
  for (const { labels, value } of await namedSamples('controller_runtime_reconcile_total', 'cluster', metrics)) {
    if (labels['cluster'] !== name) continue;
    const controller = String(labels['controller']);
    const results = byController.get(controller) ?? {};
    results[String(labels['result'])] = value;
    byController.set(controller, results);
  }
  return [...byController].map(([controller, results]) => ({ controller, results }));
}

async function requestsTo(
  { config }: Cluster,
  metrics: DetailSources['metrics'],
): Promise<ClusterDetail['requests'] | undefined> {
  const host = URL.canParse(config.server) ? new URL(config.server).host : undefined;
  const samples = await namedSamples('rest_client_request_duration_seconds', 'host', metrics);
  const histogram = histogramsBy(
    'host',
    samples.filter(({ labels }) => labels['host'] === host),
  ).get(String(host));
  if (!histogram) return undefined;
  const seconds = percentilesOf(histogram);
  return { count: histogram.count, ...(seconds && { seconds }) };
}

/** Reads a metric. Returns no samples if the values of `label` have exceeded their limit. */
async function namedSamples(
  name: string,
  label: string,
  metrics: DetailSources['metrics'],
): Promise<readonly Sample[]> {
  const samples = await samplesOf(metrics, name);
  return samples.some(({ labels }) => labels[label] === ANY) ? [] : samples;
}
