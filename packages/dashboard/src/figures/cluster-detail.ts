import type { Cluster, Manager, Metrics } from '@mcr/core';
import type { ClusterDetail, ClusterReconciles } from '../protocol.ts';
import { histogramsBy, percentilesOf } from './histogram.ts';
import { samplesOf } from './samples.ts';

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

/** The names of clusters are not in the metrics of a fleet with more clusters than `metrics.maxClusterLabels`. */
async function reconcilesIn(name: string, metrics: DetailSources['metrics']): Promise<ClusterReconciles[]> {
  const byController = new Map<string, Record<string, number>>();
  for (const { labels, value } of await samplesOf(metrics, 'controller_runtime_reconcile_total')) {
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
  const samples = await samplesOf(metrics, 'rest_client_request_duration_seconds');
  const histogram = histogramsBy(
    'host',
    samples.filter(({ labels }) => labels['host'] === host),
  ).get(String(host));
  if (!histogram) return undefined;
  const seconds = percentilesOf(histogram);
  return { count: histogram.count, ...(seconds && { seconds }) };
}
