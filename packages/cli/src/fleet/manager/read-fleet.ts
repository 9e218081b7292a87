import { terminalText } from '@mcr/core/provider';
import type { Output } from '../../command/output.ts';
import { fetchStatus } from './fetch-status.ts';
import type { Manager } from './manager.ts';
import { mergeReplicas } from './merge-replicas.ts';
import type { ServedCluster } from './replica-status.ts';

/** The clusters of the replicas that answered. */
export interface Reading {
  readonly clusters: readonly ServedCluster[];
  /** Whether every replica answered. */
  readonly isComplete: boolean;
}

/**
 * Reads every replica. A replica that fails is reported.
 *
 * @param timeout deadline, in seconds.
 * @throws {Error} if none answers.
 */
export async function readFleet(manager: Manager, timeout: number, output: Output): Promise<Reading> {
  const signal = AbortSignal.any([output.signal, AbortSignal.timeout(timeout * 1000)]);
  const { replicas, unavailable } = await manager.replicas(signal).catch((error: unknown) => {
    throw new Error(messageOf(error, timeout), { cause: error });
  });
  const results = await Promise.allSettled(replicas.map((replica) => fetchStatus(replica, manager.access, signal)));
  const statuses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  const failed = replicas.flatMap(({ name, isEnding }, at) => {
    const result = results[at];
    return result?.status === 'rejected' ? [{ isEnding, text: `${name}: ${messageOf(result.reason, timeout)}` }] : [];
  });
  // A replica that is ending has handed over its clusters, or is about to.
  const failures = [...unavailable, ...failed.filter(({ isEnding }) => !isEnding).map(({ text }) => text)];
  if (statuses.length === 0) throw new Error([...unavailable, ...failed.map(({ text }) => text)].join('; '));
  for (const failure of failures) output.warn(`mcr: ${terminalText(failure)}\n`);
  return { clusters: mergeReplicas(statuses), isComplete: failures.length === 0 };
}

const NO_MANAGER = 'set --url to the address of a manager, or -n to the namespace of one in a cluster';

function messageOf(error: unknown, timeout: number): string {
  const { name, message, code, cause } = error as NodeJS.ErrnoException;
  const isTimeout = name === 'TimeoutError' || (cause as Error | undefined)?.name === 'TimeoutError';
  if (isTimeout) return `no answer within ${timeout} s`;
  const text = message || String(code);
  return code === 'ECONNREFUSED' ? `${text}: ${NO_MANAGER}` : text;
}
