/**
 * Runs work for each item, at most `limit` at a time. The work starts in the order of the items.
 *
 * @returns the results in the order of the items; fewer after an abort, which starts no more work.
 * @throws the error of the first item whose work failed. All work that was started has ended then.
 */
export async function inOrder<Item, Result>(
  items: readonly Item[],
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const outcomes: PromiseSettledResult<Result>[] = [];
  let failed = false;
  const entries = items.entries();
  const runNext = async (): Promise<void> => {
    // The workers share one iterator.
    for (const [index, item] of entries) {
      if (failed || signal.aborted) return;
      const [outcome] = await Promise.allSettled([work(item, index)]);
      outcomes[index] = outcome;
      failed ||= outcome.status === 'rejected';
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, runNext));
  return outcomes.filter(Boolean).map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
