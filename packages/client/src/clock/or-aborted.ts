/**
 * Resolves with the value of `promise`, unless `signal` aborts first. Leaves no listener.
 *
 * @throws the rejection of `promise`, or the reason of `signal`.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    // Always attached, because an unhandled rejection ends the process.
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    // A listener of a signal that has aborted would stay for as long as the promise is pending.
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
