import { matchesLabels, parseLabelSelector, terminalText } from '@mcr/core/provider';
import type { Output } from '../command/output.ts';
import { isNamed } from './cluster-rows.ts';
import { fetchStatus } from './fetch-status.ts';
import { mergeReplicas } from './merge-replicas.ts';
import type { ServedCluster } from './replica-status.ts';

/** Options of every command of `mcr fleet`. */
export interface FleetOptions {
  /** Addresses of the replicas of a manager. */
  readonly url: readonly string[];
  readonly tokenFile?: string;
  readonly caFile?: string;
  /** Deadline for each replica, in seconds. */
  readonly timeout: number;
}

/** The clusters of the replicas that answered. */
export interface Reading {
  readonly clusters: readonly ServedCluster[];
  /** Whether every replica answered. */
  readonly isComplete: boolean;
}

/** Reads every replica. A replica that fails is reported. @throws {Error} if none answers. */
export async function readFleet({ url, tokenFile, caFile, timeout }: FleetOptions, output: Output): Promise<Reading> {
  const signal = AbortSignal.any([output.signal, AbortSignal.timeout(timeout * 1000)]);
  const access = { signal, ...(tokenFile !== undefined && { tokenFile }), ...(caFile !== undefined && { caFile }) };
  const results = await Promise.allSettled(url.map((address) => fetchStatus(address, access)));
  const replicas = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  const failures = results.flatMap((result, at) =>
    result.status === 'rejected' ? `${url[at]}: ${messageOf(result.reason, timeout)}` : [],
  );
  if (replicas.length === 0) throw new Error(failures.join('; '));
  for (const failure of failures) output.warn(`mcr: ${terminalText(failure)}\n`);
  return { clusters: mergeReplicas(replicas), isComplete: failures.length === 0 };
}

function messageOf(error: unknown, timeout: number): string {
  const { name, message, cause } = error as Error;
  const isTimeout = name === 'TimeoutError' || (cause as Error | undefined)?.name === 'TimeoutError';
  return isTimeout ? `no answer within ${timeout} s` : message || String((error as { code?: unknown }).code);
}

/** Returns a filter by names and labels. Without names, all are selected. */
export function selectionOf(names: readonly string[], selector = ''): (cluster: ServedCluster) => boolean {
  const labels = parseLabelSelector(selector);
  return (cluster) =>
    matchesLabels(labels, cluster.labels) && (names.length === 0 || names.some((name) => isNamed(cluster, name)));
}
