import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { BackendName } from '../backend/run.ts';
import type { Entry } from './catalogue.ts';
import { fileOf } from './catalogue.ts';

/** The part of the results of `progress-reporter.mjs` that is used. */
const resultsSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      assertionResults: z.array(z.object({ status: z.string(), title: z.string() })),
    }),
  ),
});

/** How one entry of the catalogue went. */
export interface Outcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
  /** Why tests were skipped, each with the number of tests. */
  readonly skipped: ReadonlyMap<string, number>;
}

/** An entry that the backend does not play. */
export function skippedOf({ name, only }: Entry, backend: BackendName): Outcome | undefined {
  if (!only || only.backends.includes(backend)) return undefined;
  return { name, passed: 0, failed: 0, seconds: 0, skipped: new Map([[only.reason, 1]]) };
}

/** @param file the results of the reporter. An entry without results has failed. */
export async function readOutcomes(file: string, entries: readonly Entry[]): Promise<Outcome[]> {
  const { testResults } = resultsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  return entries.map((entry) => {
    const result = testResults.find(({ name }) => name === fileOf(entry));
    const skipped = new Map<string, number>();
    const count = { passed: 0, failed: 0 };
    for (const { status, title } of result?.assertionResults ?? []) {
      if (status === 'passed') count.passed++;
      else if (status === 'pending') skipped.set(title, (skipped.get(title) ?? 0) + 1);
      else count.failed++;
    }
    // A file that does not load fails without a test.
    const failed = count.failed === 0 && result?.status !== 'passed' && skipped.size === 0 ? 1 : count.failed;
    const seconds = result ? (result.endTime - result.startTime) / 1000 : 0;
    return { name: entry.name, passed: count.passed, failed, seconds, skipped };
  });
}

export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ name, passed, failed, skipped, seconds }) => [
    name,
    String(passed),
    String(failed),
    String(sum([...skipped.values()])),
    seconds.toFixed(1),
  ]);
  const table = [['scenario', 'passed', 'failed', 'skipped', 'seconds'], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
  const reasons = outcomes.flatMap(({ name, skipped }) => [...skipped.keys()].map((why) => `  ${name}: ${why}`));
  return [...lines, ...(reasons.length > 0 ? ['', 'skipped:', ...reasons] : [])].join('\n');
}

export function totalsOf(outcomes: readonly Outcome[]): { passed: number; failed: number; skipped: number } {
  return {
    passed: sum(outcomes.map(({ passed }) => passed)),
    failed: sum(outcomes.map(({ failed }) => failed)),
    skipped: sum(outcomes.flatMap(({ skipped }) => [...skipped.values()])),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
