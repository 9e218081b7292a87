import type { ClusterStore } from '../storage/cluster-store.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { Watch } from '../verbs/watch.ts';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

interface Measured {
  readonly store: ClusterStore;
  readonly registry: ResourceRegistry;
  readonly watches: ReadonlySet<Watch>;
}

/** Start of the process, in seconds since 1970. */
const STARTED = Math.round(Date.now() / 1000 - process.uptime());

/** Returns the metrics of a cluster in the text format of Prometheus, with the names of a real server. */
export function metricsText({ store, registry, watches }: Measured): string {
  const stored = registry.stored().filter(({ review }) => !review);
  const objects = stored.map(
    ({ storage, group, plural }) => [{ group, resource: plural }, store.resource(storage).size] as const,
  );
  const open = new Map<string, number>();
  for (const { storage } of watches) open.set(storage, (open.get(storage) ?? 0) + 1);
  const longRunning = stored
    .filter(({ storage }) => open.has(storage))
    .map(({ storage, group, plural }) => [{ group, resource: plural, verb: 'WATCH' }, open.get(storage) ?? 0] as const);
  const { heapUsed, rss } = process.memoryUsage();
  return [
    family('apiserver_resource_objects', 'Number of stored objects per resource.', objects),
    family('apiserver_longrunning_requests', 'Number of open watches per resource.', longRunning),
    family('process_start_time_seconds', 'Start time of the process since unix epoch in seconds.', [[{}, STARTED]]),
    family('process_resident_memory_bytes', 'Resident memory size in bytes.', [[{}, rss]]),
    family('nodejs_heap_size_used_bytes', 'Process heap size used in bytes.', [[{}, heapUsed]]),
  ].join('');
}

type Labels = Readonly<Record<string, string>>;

function family(name: string, help: string, samples: readonly (readonly [Labels, number])[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labelText(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
