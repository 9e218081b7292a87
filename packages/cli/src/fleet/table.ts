import { styleText } from 'node:util';
import { shortened, terminalText } from '@mcr/core/provider';

/** Maximum size of a cell, in bytes. */
const MAX_CELL = 1024;

/** Colours of cells, by their text. */
const COLORS = new Map<string, Parameters<typeof styleText>[0]>([
  ...['Engaged', 'ok'].map((text) => [text, 'green'] as const),
  ...['Discovered', 'Connecting', 'Syncing', 'Degraded', 'warning'].map((text) => [text, 'yellow'] as const),
  ...['Unreachable', 'failed'].map((text) => [text, 'red'] as const),
]);

export interface TableOptions {
  /** Column of phases or results, which are colored. Default: none. */
  readonly coloredColumn?: number | undefined;
}

/** Returns a table with aligned columns, as kubectl prints it. Texts of strangers cannot change the layout. */
export function tableText(rows: readonly (readonly string[])[], { coloredColumn }: TableOptions = {}): string {
  const cells = rows.map((row) => row.map((cell) => shortened(terminalText(cell), MAX_CELL)));
  const widths = cells.reduce<number[]>(
    (known, row) => row.map((cell, at) => Math.max(known[at] ?? 0, cell.length)),
    [],
  );
  const padded = (cell: string, at: number): string => {
    const text = cell.padEnd(widths[at] ?? 0);
    const color = at === coloredColumn ? COLORS.get(cell) : undefined;
    return color === undefined ? text : styleText(color, text, { validateStream: false });
  };
  return cells.map((row) => `${row.map(padded).join('   ').trimEnd()}\n`).join('');
}
