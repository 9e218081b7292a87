import { terminalText } from '@mcr/core/provider';
import { stringify } from 'yaml';
import type { Output } from '../command/output.ts';
import { clusterName, headOf, isNamed, rowOf, tableStyle } from './cluster-rows.ts';
import { describeCluster } from './describe-cluster.ts';
import { openManager } from './manager/manager.ts';
import type { ManagerOptions } from './manager/manager-options.ts';
import { readFleet } from './manager/read-fleet.ts';
import type { ServedCluster } from './manager/replica-status.ts';
import { selectionOf, sorted, type SortKey } from './selection.ts';
import { tableText } from './table.ts';

/** Options of `mcr fleet list`. */
export interface ListOptions extends ManagerOptions {
  readonly selector?: string;
  readonly phase?: readonly string[];
  /** Default: a table. */
  readonly output?: 'wide' | 'name' | 'json' | 'yaml';
  readonly sortBy: SortKey;
  readonly headers: boolean;
}

/** Options of `mcr fleet describe`. */
export interface DescribeOptions extends ManagerOptions {
  /** Default: a text. */
  readonly output?: 'json' | 'yaml';
}

/** `mcr fleet list`: prints the clusters. @returns whether every replica answered and every name was found. */
export async function runList(names: readonly string[], options: ListOptions, output: Output): Promise<boolean> {
  await using manager = openManager(options);
  const { clusters, isComplete } = await readFleet(manager, options.timeout, output);
  const selected = clusters.filter(selectionOf({ ...options, names }));
  output.print(printed(sorted(selected, options.sortBy), options, output));
  if (selected.length === 0 && names.length === 0) output.warn('mcr: no clusters found\n');
  const missing = names.filter((name) => !clusters.some((cluster) => isNamed(cluster, name)));
  for (const name of missing) output.warn(notFound(name));
  return isComplete && missing.length === 0;
}

/** `mcr fleet describe`: prints everything about one cluster. @returns whether it was found. */
export async function runDescribe(name: string, options: DescribeOptions, output: Output): Promise<boolean> {
  await using manager = openManager(options);
  const { clusters } = await readFleet(manager, options.timeout, output);
  const cluster = clusters.find((known) => isNamed(known, name));
  if (cluster) output.print(documentOf(cluster, options.output) ?? describeCluster(cluster, Date.now()));
  else output.warn(notFound(name));
  return cluster !== undefined;
}

function printed(clusters: readonly ServedCluster[], { output, headers }: ListOptions, terminal: Output): string {
  if (output === 'name') return clusters.map((cluster) => `${terminalText(clusterName(cluster))}\n`).join('');
  const wide = output === 'wide';
  const text = wide ? undefined : documentOf({ clusters }, output);
  if (text !== undefined) return text;
  const now = Date.now();
  const rows = clusters.map((cluster) => rowOf(cluster, { wide, now }));
  return tableText(headers ? [headOf(wide), ...rows] : rows, tableStyle(terminal, { wide }));
}

/** Returns `value` in a format for programs, or `undefined` if none is wanted. */
function documentOf(value: object, format: 'json' | 'yaml' | undefined): string | undefined {
  if (format === undefined) return undefined;
  if (format === 'json') return visible(`${JSON.stringify(value, undefined, 2)}\n`);
  const text = stringify(value, wellFormed, { defaultStringType: 'QUOTE_DOUBLE', lineWidth: 0 });
  // The escapes of JSON are valid in texts with double quotes, except pairs of surrogates: parsers of Go refuse them.
  return visible(text.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, visibleInYaml));
}

function wellFormed(_key: unknown, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** Escapes a character beyond U+FFFF as YAML does, if a terminal would not show it. */
function visibleInYaml(character: string): string {
  if (terminalText(character) === character) return character;
  return String.raw`\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`;
}

/** Escapes what a terminal would not show, in each line. */
function visible(lines: string): string {
  return lines.split('\n').map(terminalText).join('\n');
}

function notFound(name: string): string {
  return `mcr: cluster ${JSON.stringify(terminalText(name))} is not in the fleet: see mcr fleet list\n`;
}
