import type { Peer } from './peers.ts';
import type { Line, PeerId, Row, Run } from './rows.ts';
import { median } from '../../src/scenario.ts';

/** Runs of one row, by peer and variant. */
export interface Measured {
  readonly row: Row;
  readonly runs: ReadonlyMap<Peer, ReadonlyMap<string, readonly Run[]>>;
}

/** Peers or rows that were not measured, and why. */
export interface LeftOut {
  readonly what: string;
  readonly reason: string;
}

const BEGIN = '<!-- peers: written by `pnpm bench --peers` -->';
const END = '<!-- peers: end -->';

/** Returns the table of medians, in Markdown. */
export function tableOf(measured: readonly Measured[], peers: readonly Peer[]): string {
  const lines = measured.flatMap(({ row, runs }) =>
    row.lines.map((line) => [line.title, ...peers.map((peer) => cellOf(line, peer.id, runs.get(peer)))]),
  );
  const cells = [['scenario', ...peers.map(({ title }) => title)], ...lines];
  const widths = cells[0]?.map((_, column) => Math.max(3, ...cells.map((line) => line[column]?.length ?? 0))) ?? [];
  const join = (line: readonly string[]) => `| ${line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  return [join(head), join(widths.map((width) => '-'.repeat(width))), ...body.map(join)].join('\n');
}

function cellOf(line: Line, peer: PeerId, variants: ReadonlyMap<string, readonly Run[]> | undefined): string {
  if (!variants || variants.size === 0 || line.without?.includes(peer)) return '–';
  return [...variants]
    .map(([variant, runs]) => {
      const figure = format(median(runs.map((run) => line.value(run))), line.digits ?? 0);
      // Extrapolated figures are marked.
      const clusters = runs[0]?.clusters ?? 0;
      const about = line.extrapolated?.(clusters) ? 'about ' : '';
      return variant === '' ? about + figure : `${variant} ${about}${figure}`;
    })
    .join('; ');
}

function format(value: number, digits: number): string {
  if (Number.isNaN(value)) return '–';
  const rounded = value >= 10_000 ? Number(value.toPrecision(3)) : value;
  return rounded.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Replaces the section of the results that compares peers. Without such a section, appends it. */
export function replaceSection(results: string, section: string): string {
  const marked = `${BEGIN}\n\n${section}\n\n${END}`;
  const [begin, end] = [results.indexOf(BEGIN), results.indexOf(END)];
  if (begin < 0 || end < begin) return `${results.trimEnd()}\n\n${marked}\n`;
  return results.slice(0, begin) + marked + results.slice(end + END.length);
}

export interface Surroundings {
  readonly date: string;
  readonly machine: string;
  readonly versions: string;
  readonly runs: number;
  readonly leftOut: readonly LeftOut[];
}

/** Returns the section with the table, the machine and the date. */
export function sectionOf(table: string, { date, machine, versions, runs, leftOut }: Surroundings): string {
  const paragraphs = [
    '## Comparison with peers',
    `Measured on ${date}: ${machine}; ${versions}. The rows ran in turns; a figure is the median of ${runs} runs. Client and server share the cores. [peers/README.md](peers/README.md) describes the rows.`,
    table,
  ];
  if (leftOut.length > 0) {
    paragraphs.push(`Left out:\n\n${leftOut.map(({ what, reason }) => `- ${what}: ${reason}`).join('\n')}`);
  }
  return paragraphs.join('\n\n');
}
