/** Maximum number of lines that are shown of each text. */
const MAX_LINES = 5;
const MAX_LENGTH = 200;

/** Returns the first lines in which two texts differ, and the number of those that are not shown. */
export function lineDifference(before: string, after: string): string {
  const [left, right] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < Math.min(left.length, right.length) - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const removed = left.slice(start, left.length - end);
  const added = right.slice(start, right.length - end);
  return [`@@ line ${start + 1} @@`, ...part('-', removed), ...part('+', added)].map((line) => `  ${line}\n`).join('');
}

function part(sign: string, lines: readonly string[]): string[] {
  const shown = lines.slice(0, MAX_LINES).map((line) => `${sign}${line.slice(0, MAX_LENGTH)}`);
  const hidden = lines.length - shown.length;
  return hidden > 0 ? [...shown, `${sign}(${hidden} more lines)`] : shown;
}
