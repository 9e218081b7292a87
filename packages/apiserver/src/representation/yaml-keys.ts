const isLetter = (character: string): boolean => /\p{L}/u.test(character);
const isDigit = (character: string): boolean => /\p{Nd}/u.test(character);

/**
 * Orders keys as go-yaml does: letters after other characters, and numbers in them by their value. The keys are split into
 * characters.
 */
export function compareKeys(left: readonly string[], right: readonly string[]): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  if (at >= left.length || at >= right.length) return left.length - right.length;
  const [one = '', other = ''] = [left[at], right[at]];
  const wasDigit = at > 0 && isDigit(left[at - 1] ?? '');
  if (isLetter(one) && isLetter(other)) return one < other ? -1 : 1;
  // After a digit, a letter ends the number, and so comes first.
  if (isLetter(one) || isLetter(other)) return isLetter(one) === wasDigit ? -1 : 1;
  const prefix = one === '0' || other === '0' ? significantBefore(left, at) : 0;
  const first = numberAt(left, at, prefix);
  const second = numberAt(right, at, prefix);
  if (first.value !== second.value) return first.value - second.value;
  if (first.end !== second.end) return first.end - second.end;
  return one < other ? -1 : 1;
}

/** Returns 1 if the number that contains a position has a digit other than 0 before it. */
function significantBefore(characters: readonly string[], at: number): number {
  for (let index = at - 1; index >= 0 && isDigit(characters[index] ?? ''); index--) {
    if (characters[index] !== '0') return 1;
  }
  return 0;
}

function numberAt(characters: readonly string[], at: number, prefix: number): { value: number; end: number } {
  let value = prefix;
  let end = at;
  for (; isDigit(characters[end] ?? ''); end++) value = value * 10 + Number(characters[end]);
  return { value, end };
}
