import type { Clock } from '../clock/clock.ts';
import type { PingResult } from './transport.ts';

/**
 * Whether a connection that is being made is there within `timeout` ms. One that fails says nothing: the requests that
 * wait for it fail by themselves.
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
 * Calls `next` after what has arrived already was read: while the event loop was blocked, the answer that a deadline is
 * about may have come and lie unread.
 */
export function afterPendingInput(next: () => void): void {
  setImmediate(next);
}
