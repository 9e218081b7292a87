import { shortened, terminalText } from '@mcr/core/provider';

/** Maximum size of a cell, in bytes. */
const MAX_CELL = 1024;

/** Returns a table with aligned columns, as kubectl prints it. Texts of strangers cannot change the layout. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => shortened(terminalText(cell), MAX_CELL)));
  const widths = cells.reduce<number[]>(
    (known, row) => row.map((cell, at) => Math.max(known[at] ?? 0, cell.length)),
    [],
  );
  const lines = cells.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('   '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
