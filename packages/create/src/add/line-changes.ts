/** Returns the lines that differ between two texts, in their order, each after `- ` or `+ `. */
export function lineChanges(before: string, after: string): string[] {
  const [left, right] = [before.split('\n'), after.split('\n')];
  while (left.length > 0 && left.at(-1) === right.at(-1))
    [left.length, right.length] = [left.length - 1, right.length - 1];
  const width = right.length + 1;
  // Length of the longest common subsequence of the rest, by the position in both texts.
  const lengths = new Uint32Array((left.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && left[i] === right[j]) [i, j] = [i + 1, j + 1];
    else if (i < left.length && at(i + 1, j) >= at(i, j + 1)) lines.push(`- ${left[i++]}`);
    else if (j < right.length) lines.push(`+ ${right[j++]}`);
    else lines.push(`- ${left[i++]}`);
  }
  return lines;
}
