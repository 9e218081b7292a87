/** Maximum number of edits between a wrong word and the one that was meant. */
const MAX_EDITS = 3;

/** Maximum number of characters that are compared. */
const MAX_LENGTH = 64;

/** Returns the known word that a text begins, or that needs the fewest edits; `undefined` if none is near. */
export function nearest(text: string, known: readonly string[]): string | undefined {
  const begun = known.filter((word) => text.length > 3 && word.startsWith(text));
  if (begun.length === 1) return begun[0];
  let best: { readonly word: string; readonly edits: number } | undefined;
  for (const word of known) {
    const edits = editsBetween(text.slice(0, MAX_LENGTH), word.slice(0, MAX_LENGTH));
    if (edits > Math.min(MAX_EDITS, word.length / 2)) continue;
    if (!best || edits < best.edits) best = { word, edits };
  }
  return best?.word;
}

/** Number of insertions, deletions and replacements of characters (Levenshtein). */
function editsBetween(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [position, character] of Array.from(left).entries()) {
    const next = [position + 1];
    for (let column = 0; column < right.length; column += 1) {
      const replaced = (row[column] ?? 0) + (character === right[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
