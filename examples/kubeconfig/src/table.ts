import type { ClusterPhase, ClusterStatus } from '@mcr/core';
import { LOCAL_CLUSTER } from '@mcr/core';
import { terminalText } from '@mcr/core/provider';

export interface TableOptions {
  /** Characters in a line of the terminal. */
  readonly width: number;
  readonly colours: 'ansi' | 'none';
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

export const columns = ['CLUSTER', 'PHASE', 'SINCE', 'OBJECTS', 'RECONCILES', 'ERRORS', 'REASON'] as const;

const colourOf: Record<ClusterPhase, number> = {
  Discovered: 36,
  Connecting: 36,
  Syncing: 36,
  Engaged: 32,
  Degraded: 33,
  Unreachable: 31,
  Disengaged: 90,
};

/** Returns a line of headings and one line per cluster. */
export function fleetTable(clusters: readonly ClusterStatus[], { width, colours, now }: TableOptions): string[] {
  const rows = clusters.map((cluster) => [
    cluster.name === LOCAL_CLUSTER ? '(hub)' : terminalText(cluster.name),
    cluster.phase,
    age(now - cluster.since),
    String(cluster.objects),
    String(cluster.reconciles),
    String(cluster.errors),
    terminalText(cluster.reason),
  ]);
  const widths = columns.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const cut = (text: string) => (text.length > width ? `${text.slice(0, width - 1)}…` : text);
  const paint = (text: string, code: number) => (colours === 'ansi' ? `\x1b[${code}m${text}\x1b[0m` : text);

  return [
    paint(cut(line(columns)), 1),
    ...rows.map((row, index) => {
      const phase = clusters[index]?.phase;
      const text = cut(line(row));
      return phase ? text.replace(phase, paint(phase, colourOf[phase])) : text;
    }),
  ];
}

/** Formats a duration as `3s`, `2m` or `1h`. */
function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds}s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)}m` : `${Math.round(seconds / 3600)}h`;
}
