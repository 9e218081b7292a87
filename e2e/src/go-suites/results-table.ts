import type { PackageResult } from './run-package.ts';
import type { KnownFailure, Suites } from './suites.ts';

/** Returns the known failure that a failed test is, if there is one. */
export function knownFailure(
  { module, package: name }: Pick<PackageResult, 'module' | 'package'>,
  test: string,
  known: readonly KnownFailure[],
): KnownFailure | undefined {
  return known.find((one) => one.module === module && one.package === name && test.includes(one.test));
}

/** Returns the results as tables in Markdown, one for each module. */
export function resultsTable(
  suites: readonly Suites[],
  results: readonly PackageResult[],
  known: readonly KnownFailure[],
): string {
  const tables = suites.map(({ module, version }) => {
    const rows = results
      .filter((result) => result.module === module)
      .map((result) => [
        `\`${result.package}\``,
        String(result.passed),
        String(result.failed.length),
        String(result.skipped),
        reasonsOf(result, known),
      ]);
    const table = [[`${module} ${version}`, 'passed', 'failed', 'skipped', 'known failures'], ...rows];
    const widths = [0, 1, 2, 3, 4].map((column) => Math.max(3, ...table.map((row) => row[column]?.length ?? 0)));
    const line = (row: readonly string[]): string =>
      `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
    const [header = [], ...body] = table;
    return [line(header), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
  });
  return tables.join('\n\n');
}

function reasonsOf(result: PackageResult, known: readonly KnownFailure[]): string {
  const reasons = result.failed.map((test) => knownFailure(result, test, known)?.reason ?? `unknown: ${test}`);
  return [...new Set(reasons)].join('; ');
}

const START = '<!-- results of go-suites: written by MCR_JUDGES=write -->';
const END = '<!-- end of results -->';

/** Replaces the results in a document. @throws {Error} if the document has no place for them. */
export function withResults(document: string, table: string): string {
  const [start, end] = [document.indexOf(START), document.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`the document has no place for results: add ${START} and ${END}`);
  return `${document.slice(0, start + START.length)}\n\n${table}\n\n${document.slice(end)}`;
}
