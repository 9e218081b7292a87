/** Maximum number of edits between similar texts, and maximum share of the longer text that they change. */
const MAX_EDITS = 3;
const MAX_SHARE = 0.6;
/** Longer texts are not compared, so that the work is bounded. */
const MAX_LENGTH = 100;

/**
 * Returns the candidate that was probably meant, for messages such as "did you mean --namespace?". Case is ignored.
 *
 * @returns `undefined` if no candidate is similar: more than three edits, or 60 percent of the longer text, differ.
 */
export function similarText(text: string, candidates: readonly string[]): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [best] = candidates
    .filter(({ length }) => length <= MAX_LENGTH)
    .map((candidate) => ({ candidate, edits: editsBetween(text.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= MAX_EDITS && edits < MAX_SHARE * Math.max(text.length, candidate.length))
    .sort((a, b) => a.edits - b.edits);
  return best?.candidate;
}

/** Counts insertions, deletions, substitutions and swaps of neighbours. (Optimal string alignment distance.) */
function editsBetween(a: string, b: string): number {
  let beforePrevious: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const at = (row: readonly number[], column: number): number => row[column] ?? 0;
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const edits = Math.min(at(previous, j) + 1, at(current, j - 1) + 1, at(previous, j - 1) + cost);
      current.push(isSwapped ? Math.min(edits, at(beforePrevious, j - 2) + 1) : edits);
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous.at(-1) ?? 0;
}
