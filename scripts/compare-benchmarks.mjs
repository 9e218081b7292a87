// Compares the results of two runs of `pnpm bench --json`, and prints a table in Markdown.
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';

/** Change from which a result is marked. Times on shared machines vary by less. */
const NOTABLE = 0.25;

/** Returns the results in a file with one JSON object per line. Other lines are ignored. */
export function resultsIn(text) {
  return text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
}

/** Returns the report. @param last results of the run before, or `undefined` for none. */
export function comparison(current, last) {
  const before = new Map((last ?? []).map((result) => [result.id, result]));
  const rows = current.map(({ id, value, unit, goal, met }) => {
    const previous = before.get(id)?.value ?? null;
    return [
      id,
      shown(previous, unit),
      shown(value, unit),
      change(previous, value),
      `${met ? '' : '**not met**: '}${goal}`,
    ];
  });
  const gone = [...before.keys()].filter((id) => !current.some((result) => result.id === id));
  return [
    ...(last ? [] : ['There is no earlier run to compare with.', '']),
    '| id | last | now | change | goal |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`),
    ...(gone.length > 0 ? ['', `Not run any more: ${gone.join(', ')}`] : []),
    '',
  ].join('\n');
}

function shown(value, unit) {
  return value === null || value === undefined ? '–' : `${value} ${unit}`;
}

/** Returns the change in percent, in bold if it is notable. */
function change(before, now) {
  if (!before || typeof now !== 'number') return '–';
  const ratio = now / before - 1;
  const text = `${ratio < 0 ? '' : '+'}${(ratio * 100).toFixed(0)} %`;
  return Math.abs(ratio) >= NOTABLE ? `**${text}**` : text;
}

if (process.argv[1] === import.meta.filename) {
  const [current, last] = process.argv.slice(2);
  if (current === undefined) {
    console.error('usage: node scripts/compare-benchmarks.mjs RESULTS [LAST_RESULTS]');
    process.exitCode = 2;
  } else {
    const previous = last !== undefined && existsSync(last) ? resultsIn(readFileSync(last, 'utf8')) : undefined;
    process.stdout.write(comparison(resultsIn(readFileSync(current, 'utf8')), previous));
  }
}
