import { terminalText } from '@mcr/core/provider';
import { stringify } from 'yaml';
import type { Output } from '../command/output.ts';
import { headOf, isNamed, rowOf } from './cluster-rows.ts';
import { describeCluster } from './describe-cluster.ts';
import { type FleetOptions, readFleet, selectionOf } from './read-fleet.ts';
import type { ServedCluster } from './replica-status.ts';
import { tableText } from './table.ts';

/** Options of `mcr fleet list`. */
export interface ListOptions extends FleetOptions {
  readonly selector?: string;
  /** Default: a table. */
  readonly output?: 'wide' | 'json' | 'yaml';
  readonly headers: boolean;
}

/** `mcr fleet list`: prints the clusters. @returns whether every replica answered and every name was found. */
export async function runList(names: readonly string[], options: ListOptions, output: Output): Promise<boolean> {
  const { clusters, isComplete } = await readFleet(options, output);
  const selected = clusters.filter(selectionOf(names, options.selector));
  output.print(printed(selected, options));
  const missing = names.filter((name) => !clusters.some((cluster) => isNamed(cluster, name)));
  for (const name of missing) output.warn(notFound(name));
  return isComplete && missing.length === 0;
}

/** `mcr fleet describe`: prints everything about one cluster. @returns whether it was found. */
export async function runDescribe(name: string, options: FleetOptions, output: Output): Promise<boolean> {
  const { clusters } = await readFleet(options, output);
  const cluster = clusters.find((known) => isNamed(known, name));
  if (cluster) output.print(describeCluster(cluster, Date.now()));
  else output.warn(notFound(name));
  return cluster !== undefined;
}

function printed(clusters: readonly ServedCluster[], { output, headers }: ListOptions): string {
  if (output === 'json') return visible(`${JSON.stringify({ clusters }, undefined, 2)}\n`);
  // The escapes of JSON are valid in texts with double quotes.
  if (output === 'yaml') return visible(stringify({ clusters }, { defaultStringType: 'QUOTE_DOUBLE', lineWidth: 0 }));
  const wide = output === 'wide';
  const now = Date.now();
  const rows = clusters.map((cluster) => rowOf(cluster, { wide, now }));
  return tableText(headers ? [headOf(wide), ...rows] : rows);
}

/** Escapes what a terminal would not show, in each line. */
function visible(lines: string): string {
  return lines.split('\n').map(terminalText).join('\n');
}

function notFound(name: string): string {
  return `mcr: cluster ${JSON.stringify(terminalText(name))} is not in the fleet: see mcr fleet list\n`;
}
