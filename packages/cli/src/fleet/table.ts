import { styleText } from 'node:util';
import { shortened, terminalText } from '@mcr/core/provider';
import stringWidth from 'string-width';

/** Maximum size of a cell, in bytes. */
const MAX_CELL = 1024;
/** Columns of the terminal that the last cell of a row has at least. */
const MIN_LAST = 20;
const GAP = '   ';

/** Colours of cells, by their text. */
const COLORS = new Map<string, Parameters<typeof styleText>[0]>([
  ...['Engaged', 'ok'].map((text) => [text, 'green'] as const),
  ...['Discovered', 'Connecting', 'Syncing', 'Degraded', 'warning'].map((text) => [text, 'yellow'] as const),
  ...['Unreachable', 'failed'].map((text) => [text, 'red'] as const),
]);

export interface TableOptions {
  /** Column of phases or results, which are colored. Default: none. */
  readonly coloredColumn?: number | undefined;
  /** Width of the terminal, in columns: the last cell of a row is cut to it. Default: nothing is cut. */
  readonly width?: number | undefined;
}

/** A table with aligned columns, as kubectl prints it. Texts of strangers cannot change the layout. */
export class Table {
  #widths: readonly number[] = [];

  /** Returns lines of the table. Their columns are at least as wide as those of the lines before. */
  lines(rows: readonly (readonly string[])[], { coloredColumn, width = Infinity }: TableOptions = {}): string {
    const cells = rows.map((row) => row.map((cell) => shortened(terminalText(cell), MAX_CELL)));
    const widths = cells.reduce<readonly number[]>(
      (known, row) => row.map((cell, at) => Math.max(known[at] ?? 0, stringWidth(cell))),
      this.#widths,
    );
    this.#widths = widths;
    const before = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0);
    const padded = (cell: string, at: number): string => {
      if (at === widths.length - 1) return cut(cell, Math.max(width - before, MIN_LAST));
      const text = cell + ' '.repeat((widths[at] ?? 0) - stringWidth(cell));
      const color = at === coloredColumn ? COLORS.get(cell) : undefined;
      return color === undefined ? text : styleText(color, text, { validateStream: false });
    };
    return cells.map((row) => `${row.map(padded).join(GAP).trimEnd()}\n`).join('');
  }
}

/** Returns one table. */
export function tableText(rows: readonly (readonly string[])[], options?: TableOptions): string {
  return new Table().lines(rows, options);
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Returns the beginning of a text that takes at most `width` columns. */
function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let [beginning, used] = ['', 1];
  for (const { segment } of GRAPHEMES.segment(text)) {
    used += stringWidth(segment);
    if (used > width) break;
    beginning += segment;
  }
  return `${beginning}…`;
}
