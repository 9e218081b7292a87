import { compare } from './comparison.ts';
import type { Duel } from './duel.ts';
import { unknown } from './known-differences.ts';
import { Differences } from './report.ts';
import type { Recorded } from './transcript.ts';

/** Sends the operations of a transcript to one server, and returns the differences from its answers. */
export async function replay(duel: Duel, transcript: readonly Recorded[]): Promise<Differences> {
  const differences = new Differences();
  for (const [index, { operation, answer, reset }] of transcript.entries()) {
    const { sent, answers } = await duel.perform(operation);
    const [actual] = answers;
    if (reset) await duel.reset(operation);
    if (!answer || !actual) continue;
    const round = { index, operation, sent, answers: [answer, actual] };
    const left = unknown(round, compare(answer, actual));
    if (left.length > 0) differences.add(round, left);
  }
  return differences;
}
