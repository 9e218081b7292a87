/** Resolves when `signal` aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Never resolves. @throws the reason of `signal` when it aborts. */
export function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return untilAborted(signal).then(() => Promise.reject(signal.reason as Error));
}
