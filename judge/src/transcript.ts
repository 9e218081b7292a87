import { readFile, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Operation } from './operation.ts';
import type { Round } from './duel.ts';
import type { Answer } from './side.ts';

/** One operation, and what kube-apiserver answered. */
export interface Recorded {
  /** References and changes are resolved by what the server of a replay returned before. */
  readonly operation: Operation;
  /** Absent if the embedded server answered otherwise when it was recorded, or if the answer is too large. */
  readonly answer?: Answer | undefined;
  /** Whether the written object was deleted afterwards. */
  readonly reset?: true | undefined;
}

/** One line of JSON per operation, compressed. */
const path = new URL('./transcript.ndjson.gz', import.meta.url);

/** Size limit of the text of one answer. */
const ANSWER_LIMIT = 60_000;

/**
 * Returns the record of a round.
 *
 * @param counts numbers of all differences, and of those that are not known.
 */
export function recordOf(
  { operation, answers }: Round,
  counts: { readonly found: number; readonly left: number },
): Recorded {
  const [answer] = answers;
  const text = JSON.stringify(answer);
  const isKept = counts.left === 0 && text.length <= ANSWER_LIMIT && !answer?.isLate;
  return { operation, ...(isKept && { answer }), ...(counts.found > 0 && { reset: true as const }) };
}

export async function readTranscript(): Promise<readonly Recorded[]> {
  const lines = gunzipSync(await readFile(path))
    .toString()
    .trimEnd()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Recorded);
}

export async function writeTranscript(transcript: readonly Recorded[]): Promise<void> {
  const text = transcript.map((recorded) => `${JSON.stringify(recorded)}\n`).join('');
  await writeFile(path, gzipSync(text, { level: 9 }));
}
