import { constants } from 'node:os';

/** Result of {@link shutdownSignal}. */
export interface ShutdownSignal extends Disposable {
  /** Aborts at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
}

/**
 * Returns a signal for `manager.start` that aborts at the first SIGINT or SIGTERM. The second one ends the process
 * immediately, with exit code 130 or 143. Dispose the result to stop listening.
 * (Upstream: controller-runtime's `SetupSignalHandler`.)
 *
 * @example
 * await manager.start(shutdownSignal().signal);
 */
export function shutdownSignal(): ShutdownSignal {
  const controller = new AbortController();
  const onSignal = (name: 'SIGINT' | 'SIGTERM') => {
    if (controller.signal.aborted) process.exit(128 + constants.signals[name]);
    controller.abort(new DOMException(`received ${name}`, 'AbortError'));
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  };
}
