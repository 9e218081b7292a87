/**
 * What `promise` resolves to, unless `signal` aborts first. No listener is left behind.
 *
 * @throws what `promise` rejects with, or the signal's reason.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    // In any case, for a rejection that nobody handles ends the process.
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    if (signal.aborted) onAbort();
  });
}
