import { readFile, writeFile } from 'node:fs/promises';
import type { Fact } from './session.ts';

/** Reads what kube-apiserver answered to a script, one fact per line. */
export async function readAnswers(script: string): Promise<readonly Fact[]> {
  const text = await readFile(fileOf(script), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Fact);
}

export async function writeAnswers(script: string, facts: readonly Fact[]): Promise<void> {
  await writeFile(fileOf(script), facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''));
}

function fileOf(script: string): URL {
  return new URL(`answers/${script}.ndjson`, import.meta.url);
}
