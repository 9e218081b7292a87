import { readFile, writeFile } from 'node:fs/promises';
import type { Fact } from '../judge/session.fixture.ts';

/** One fact per line. */
const path = new URL('./answers.ndjson', import.meta.url);

/** Reads the recorded responses of kube-apiserver: see `record.fixture.ts`. */
export async function readAnswers(): Promise<readonly Fact[]> {
  const text = await readFile(path, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Fact);
}

export async function writeAnswers(facts: readonly Fact[]): Promise<void> {
  await writeFile(path, facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''));
}
