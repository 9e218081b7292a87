import { readFile, writeFile } from 'node:fs/promises';
import type { Fact } from './session.fixture.ts';

/** Reads recorded responses of kube-apiserver, one fact per line: see `record.fixture.ts` beside the file. */
export async function readAnswers(file: URL): Promise<readonly Fact[]> {
  const text = await readFile(file, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Fact);
}

export async function writeAnswers(file: URL, facts: readonly Fact[]): Promise<void> {
  await writeFile(file, facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''));
}
