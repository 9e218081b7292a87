/** Returns the choice that a person most likely meant, if one is near. */
export function nearest(word: string, choices: readonly string[]): string | undefined {
  const ranked = choices.map((choice) => ({ choice, distance: distanceOf(word.toLowerCase(), choice.toLowerCase()) }));
  const [best] = ranked.sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(1, Math.floor(best.choice.length / 3)) ? best.choice : undefined;
}

/** Number of letters to add, remove, replace or swap with the next one. */
function distanceOf(a: string, b: string): number {
  let rows: readonly [before: readonly number[], previous: readonly number[]] = [
    [],
    Array.from({ length: b.length + 1 }, (_, index) => index),
  ];
  for (let i = 1; i <= a.length; i += 1) {
    const [before, previous] = rows;
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          (previous[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (previous[j - 1] ?? 0) + cost,
          isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    rows = [previous, row];
  }
  return rows[1][b.length] ?? 0;
}

/** Returns a value that is one of the choices. @throws {Error} if it is not. The message names the nearest one. */
export function chosen(value: string, choices: readonly string[]): string {
  if (choices.includes(value)) return value;
  const near = nearest(value, choices);
  throw new Error(`expected one of ${choices.join(', ')}${near === undefined ? '' : `\n(Did you mean ${near}?)`}`);
}
