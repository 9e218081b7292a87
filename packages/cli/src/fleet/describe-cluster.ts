import { humanDuration } from '@mcr/core/provider';
import { bytesText, clusterName, labelsText } from './cluster-rows.ts';
import type { ServedCluster } from './manager/replica-status.ts';
import { tableText } from './table.ts';

/** Returns everything that a manager knows about a cluster, as text. @param now milliseconds since the Unix epoch. */
export function describeCluster(cluster: ServedCluster, now: number): string {
  const { phase, reason, ownership, isolation, lastError, lastErrorAt, history } = cluster;
  const ago = (at: number): string => `${humanDuration(now - at)} ago`;
  const fields = tableText([
    ['Name:', clusterName(cluster)],
    ['Phase:', `${phase}, since ${ago(cluster.since)}`],
    ['Reason:', reason],
    ['Labels:', labelsText(cluster)],
    ...(ownership
      ? [['Owner:', `${ownership.owner ?? '<unknown>'}, ${ownership.state} in the replica that reports`]]
      : []),
    ...(isolation ? [['Isolation:', `${isolation.state}, since ${ago(isolation.since)}: ${isolation.reason}`]] : []),
    ['Reconciles:', `${cluster.reconciles}, ${cluster.errors} failed`],
    ['Cache:', `${cluster.objects} objects, ${bytesText(cluster.cachedBytes)}`],
    [
      'Last error:',
      lastError === undefined ? '<none>' : `${lastErrorAt === undefined ? '' : `${ago(lastErrorAt)}: `}${lastError}`,
    ],
  ]);
  const sources = Object.entries(cluster.sources).map(([name, { synced, objects, staleFor }]) => [
    ...[`  ${name}`, synced ? 'yes' : 'no', String(objects)],
    staleFor === undefined ? 'no' : `for ${humanDuration(staleFor)}`,
  ]);
  const transitions = history.map(({ at, phase: to, reason: why }) => [`  ${new Date(at).toISOString()}`, to, why]);
  return [
    fields,
    'Sources:\n',
    tableText([['  SOURCE', 'SYNCED', 'OBJECTS', 'STALE'], ...sources]),
    'History:\n',
    tableText([['  TIME', 'PHASE', 'REASON'], ...transitions]),
  ].join('');
}
