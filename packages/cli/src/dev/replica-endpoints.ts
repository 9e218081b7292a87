import type { LocalEndpoints, Project } from '../project/project.ts';
import type { ReplicaAddresses } from './replica-addresses.ts';

/**
 * Returns the endpoints of each replica.
 *
 * @param addresses addresses of the replicas. The project was read with the first ones.
 * @throws {Error} if the program cannot have several replicas, or if its replicas would listen on the same port.
 */
export function replicaEndpoints(
  { replicas, local }: Project,
  addresses: readonly ReplicaAddresses[],
): readonly LocalEndpoints[] {
  const [first] = addresses;
  if (!first || addresses.length === 1) return [local];
  if (replicas === 'single') {
    throw new Error(
      `--replicas: ${addresses.length} replicas would all reconcile the same clusters: set leaderElection or sharding in manager()`,
    );
  }
  if (local.health !== `http://${first.health}`) {
    throw new Error(
      `--replicas: each replica needs its own health checks: set health: { bindAddress: process.env['HEALTH_ADDRESS'] ?? ':8081' } in manager()`,
    );
  }
  const { metrics } = local;
  if (metrics !== undefined && !metrics.endsWith(`//${first.metrics}`)) {
    throw new Error(
      `--replicas: all replicas would serve their metrics at ${metrics}: set metrics: { bindAddress: process.env['METRICS_ADDRESS'] ?? ':8080' } in manager()`,
    );
  }
  return addresses.map((each) => ({
    health: `http://${each.health}`,
    ...(metrics !== undefined && { metrics: metrics.replace(first.metrics, each.metrics) }),
  }));
}
