import { terminalText } from '@mcr/core/provider';
import { tableText } from '../table.ts';
import type { Check } from './check-cluster.ts';

/** Returns the results as a table, and what to do about those that are not in order. */
export function checkText(checks: readonly Check[], isColored = false): string {
  const rows = checks.map(({ name, result, detail }) => [name, result, detail]);
  const advice = checks.flatMap(({ name, advice: text }) =>
    text === undefined ? [] : `${name}: ${terminalText(text)}\n`,
  );
  return (
    tableText([['CHECK', 'RESULT', 'DETAIL'], ...rows], { coloredColumn: isColored ? 1 : undefined }) +
    (advice.length > 0 ? `\n${advice.join('')}` : '')
  );
}

/** Whether a cluster would engage. */
export function isPassed(checks: readonly Check[]): boolean {
  return checks.every(({ result }) => result !== 'failed');
}
