import type { ClusterConfig } from '@mcr/client';
import type { Aware, ClusterObservation } from '../fleet/multicluster/aware.ts';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import type { ClusterOptions } from '../fleet/cluster/cluster-options.ts';

/** Records the engagements and reports of a provider, and creates clusters for it that are ready at once. */
export function discoveryScene() {
  const reports: string[] = [];
  const made: FakeCluster[] = [];
  const engaged = new Set<string>();
  const aware: Aware = {
    engage: async (name, _cluster, signal) => {
      engaged.add(name);
      signal.addEventListener('abort', () => engaged.delete(name), { once: true });
    },
    report: (name, { phase, reason }: ClusterObservation) => void reports.push(`${name} ${phase}: ${reason}`),
  };
  const newCluster = ({ server, auth }: ClusterConfig, { info }: ClusterOptions) => {
    const cluster = FakeCluster.ready({ server, ...(auth?.type === 'token' && { token: auth.token }) });
    cluster.describe({ labels: {}, properties: {}, ...info });
    made.push(cluster);
    return cluster;
  };
  const entry = (digest: string, server = 'https://a') => ({
    digest,
    config: () => ({ server, auth: { type: 'token' as const, token: digest } }),
    info: { provider: 'test' },
  });
  return { aware, reports, made, engaged, newCluster, entry };
}
