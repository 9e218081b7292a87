/** First and last index of an interval. */
type Interval = readonly [first: number, last: number];

/** Returns the interval that a text such as `3` or `1-4` stands for, or the error in it. */
function parseInterval(text: string, completions: number): Interval | string {
  const parts = text.split('-');
  if (parts.length > 2) {
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const limits: number[] = [];
  for (const part of parts) {
    if (!/^[+]?\d+$/u.test(part)) return `cannot convert string to integer for index: ${JSON.stringify(part)}`;
    if (Number(part) >= completions) return `too large index: ${JSON.stringify(part)}`;
    limits.push(Number(part));
  }
  const [first = 0, last = first] = limits;
  if (parts.length > 1 && first >= last) return nonIncreasing(first, last);
  return [first, last];
}

function nonIncreasing(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}

/** Returns the first error in a list of intervals of indexes, such as `0,2-4` (upstream: `validateIndexesFormat`). */
export function indexesError(text: string, completions: number): string | undefined {
  if (text === '') return undefined;
  let previous: number | undefined;
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions);
    if (typeof interval === 'string') return interval;
    if (previous !== undefined && previous >= interval[0]) return nonIncreasing(previous, interval[0]);
    [, previous] = interval;
  }
  return undefined;
}

/** Returns the first index that two lists of intervals share, without their invalid intervals. */
export function sharedIndex(completed: string, failed: string, completions: number): number | undefined {
  const [ours, theirs] = [completed, failed].map((text) =>
    text === ''
      ? []
      : text
          .split(',')
          .map((part) => parseInterval(part, completions))
          .filter((interval): interval is Interval => typeof interval !== 'string'),
  ) as [Interval[], Interval[]];
  let [i, j] = [0, 0];
  for (;;) {
    const [one, other] = [ours[i], theirs[j]];
    if (!one || !other) return undefined;
    if (one[0] <= other[1] && other[0] <= one[1]) return Math.max(one[0], other[0]);
    if (one[0] <= other[0]) i += 1;
    else j += 1;
  }
}
