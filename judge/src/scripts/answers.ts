import { readFile, writeFile } from 'node:fs/promises';

/** Reads what kube-apiserver answered to a script, one answer per line. */
export async function readAnswers<Answer>(script: string): Promise<readonly Answer[]> {
  const text = await readFile(fileOf(script), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

export async function writeAnswers(script: string, answers: readonly unknown[]): Promise<void> {
  await writeFile(fileOf(script), answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''));
}

function fileOf(script: string): URL {
  return new URL(`answers/${script}.ndjson`, import.meta.url);
}
