/** Maximum number of edits between a wrong word and the one that was meant. */
const MAX_EDITS = 3;

/** Returns the known word that needs the fewest edits, or that the text begins; `undefined` if none is near. */
export function nearest(text: string, known: readonly string[]): string | undefined {
  const begun = known.filter((word) => text.length > 3 && word.startsWith(text));
  const [only, ...others] = begun;
  if (only !== undefined && others.length === 0) return only;
  const ranked = known
    .map((word) => ({ word, edits: distance(text, word) }))
    .filter(({ edits, word }) => edits <= Math.min(MAX_EDITS, word.length / 2))
    .sort((a, b) => a.edits - b.edits);
  return ranked[0]?.word;
}

/** Number of insertions, deletions and replacements of characters (Levenshtein). Texts are compared up to 64 characters. */
function distance(left: string, right: string): number {
  const [a, b] = [left.slice(0, 64), right.slice(0, 64)];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 0; row < a.length; row++) {
    const current = [row + 1];
    for (let column = 0; column < b.length; column++) {
      const replaced = (previous[column] ?? 0) + (a[row] === b[column] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
