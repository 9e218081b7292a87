import { humanDuration } from '@mcr/core/provider';
import type { Output } from '../command/output.ts';
import type { ServedCluster } from './manager/replica-status.ts';
import type { TableOptions } from './table.ts';

/** The name that is printed for the local cluster, whose name is empty. */
const LOCAL = '(local)';

const COLUMNS = ['NAME', 'PHASE', 'SINCE', 'OBJECTS', 'ERRORS', 'REASON'];
const WIDE_COLUMNS = [
  'NAME',
  'PHASE',
  'SINCE',
  'OWNER',
  'OBJECTS',
  'CACHED',
  'RECONCILES',
  'ERRORS',
  'LABELS',
  'REASON',
];

export interface RowOptions {
  readonly wide: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Returns the options of a table whose second column has phases. A wide table is not cut. */
export function tableStyle({ isColored = false, columns }: Output, { wide }: { readonly wide: boolean }): TableOptions {
  return { coloredColumn: isColored ? COLUMNS.indexOf('PHASE') : undefined, width: wide ? undefined : columns };
}

/** Returns the heads of the columns. */
export function headOf(wide: boolean): readonly string[] {
  return wide ? WIDE_COLUMNS : COLUMNS;
}

/** Returns the cells of one cluster. */
export function rowOf(cluster: ServedCluster, { wide, now }: RowOptions): readonly string[] {
  const { phase, objects, errors, reconciles, cachedBytes } = cluster;
  const since = humanDuration(now - cluster.since);
  const [name, reason] = [clusterName(cluster), reasonOf(cluster)];
  if (!wide) return [name, phase, since, String(objects), String(errors), reason];
  return [
    ...[name, phase, since, cluster.ownership?.owner ?? '<none>', String(objects), bytesText(cachedBytes)],
    ...[String(reconciles), String(errors), labelsText(cluster), reason],
  ];
}

/** Returns the name that is printed. */
export function clusterName({ name }: Pick<ServedCluster, 'name'>): string {
  return name === '' ? LOCAL : name;
}

/** Returns whether an argument of the command names a cluster. */
export function isNamed(cluster: Pick<ServedCluster, 'name'>, argument: string): boolean {
  return cluster.name === argument || clusterName(cluster) === argument;
}

export function labelsText({ labels = {} }: Pick<ServedCluster, 'labels'>): string {
  return (
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(',') || '<none>'
  );
}

/** Returns a size with the units of Kubernetes, for example `12Mi`. */
export function bytesText(bytes: number | undefined): string {
  if (bytes === undefined) return '<unknown>';
  const units = ['', 'Ki', 'Mi', 'Gi'];
  const unit = Math.min(Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)), units.length - 1);
  return `${Math.round(bytes / 1024 ** unit)}${units[unit]}`;
}

/** The restriction of a slow cluster is not in its reason. */
function reasonOf({ reason, isolation }: ServedCluster): string {
  return isolation?.state === 'slow' ? `slow: ${isolation.reason}; ${reason}` : reason;
}
