import type { Clock } from '../clock/clock.ts';
import type { PingResult } from './transport.ts';

/**
 * Checks whether a pending connection is established within `timeout` ms. Returns `unknown` if the connection fails,
 * because the requests that wait for it report that.
 */
export function answeredWithin(connecting: Promise<unknown>, timeout: number, clock: Clock): Promise<PingResult> {
  return new Promise((resolve) => {
    const settle = (result: PingResult) => {
      timer.cancel();
      resolve(result);
    };
    const timer = clock.schedule(timeout, () => afterPendingInput(() => settle('silent')));
    connecting.then(
      () => settle('answered'),
      () => settle('unknown'),
    );
  });
}

/**
 * Calls `next` after all received data is read. An answer may have arrived while the event loop was blocked.
 */
export function afterPendingInput(next: () => void): void {
  setImmediate(next);
}
