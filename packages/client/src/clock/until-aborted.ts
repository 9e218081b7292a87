/** Resolves when `signal` aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** @throws the reason of `signal` when it aborts, and nothing else. */
export function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return untilAborted(signal).then(() => Promise.reject(signal.reason as Error));
}
