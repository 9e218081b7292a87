/**
 * Maximum number of warnings of one cause. A response shows 4,096 characters of warnings, so it cannot show more of
 * them. (Upstream: `truncateAtTotalRunes` of `endpoints/filters/warning.go`, which one more warning makes apply.)
 */
export const WARNINGS_LIMIT = 4 * 1024 + 1;

/** Returns the first warnings, up to {@link WARNINGS_LIMIT}, without computing the others. */
export function firstWarnings(warnings: Iterable<string>): string[] {
  const first: string[] = [];
  for (const warning of warnings) {
    first.push(warning);
    if (first.length >= WARNINGS_LIMIT) break;
  }
  return first;
}

/** Returns for each text the index of the first text that equals it. */
export function firstIndexes(texts: readonly string[]): number[] {
  const first = new Map<string, number>();
  return texts.map((text, index) => {
    const known = first.get(text);
    if (known === undefined) first.set(text, index);
    return known ?? index;
  });
}
