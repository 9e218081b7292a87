import type { CrdManifest, DeclaredPermission } from '@mcr/core';
import type { McrDeployment } from './mcr-config.ts';

/** A program as its `mcr.config.ts` describes it, without functions, so that one process can send it to another. */
export interface Project {
  readonly name: string;
  readonly namespace: string;
  readonly definitions: readonly CrdManifest[];
  /** Namespaces may be {@link POD_NAMESPACE}. */
  readonly permissions: readonly ProjectPermission[];
  readonly replicas: ReplicaMode;
  /** Whether the fleet has other clusters than the local one. */
  readonly hasProvider: boolean;
  /** Port of `/healthz` and `/readyz`, if the kubelet can reach it. */
  readonly healthPort?: number;
  /** `/metrics`, if Prometheus can reach it. */
  readonly metrics?: ProjectMetrics;
  readonly webhookPort?: number;
  /** Where the program serves health checks and metrics, seen from its own machine. */
  readonly local: LocalEndpoints;
  /** Time in which the manager stops, in seconds. */
  readonly shutdownSeconds: number;
  readonly deploy: McrDeployment;
}

/** How the replicas of a program share the work. */
export type ReplicaMode = 'single' | 'leader-election' | 'sharding';

/** How Prometheus reads the metrics. */
export interface ProjectMetrics {
  readonly port: number;
  readonly scheme: 'http' | 'https';
  /** Whether requests need a token of a user that may `get` the path. */
  readonly needsToken: boolean;
}

/** URLs of servers on the machine of the program, without a path. Those whose port the system selects are left out. */
export interface LocalEndpoints {
  readonly health?: string;
  readonly metrics?: string;
}

/** A declared permission whose kind has a name in URLs. */
export interface ProjectPermission extends Omit<DeclaredPermission, 'kind'> {
  readonly group: string;
  /** Plural name of the kind. */
  readonly resource: string;
  readonly isClusterScoped: boolean;
}

/** Stands for the namespace that the Pod runs in, which is the default of Leases. */
export const POD_NAMESPACE = 'mcr-pod-namespace';
