import type { Clock } from '../clock/clock.ts';
import { sleep } from '../clock/clock.ts';
import type { CredentialChanges } from './credential-changes.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import type { Waiting } from './reflector-state.ts';

export interface WaitOptions extends Pick<Waiting, 'delay' | 'notBefore' | 'wake'> {
  readonly listerWatcher: Pick<ListerWatcher, 'onCredentials' | 'recovered' | 'definitionChanged'>;
  /** Changes since the previous wait. */
  readonly credentialChanges: Pick<CredentialChanges, 'seen'>;
  readonly clock: Clock;
  /** Version of the kind's CustomResourceDefinition that ended the previous wait. */
  readonly definition: string | undefined;
}

export interface WaitEnd {
  /** Whether the wait ended early because the cause of the failure is over. Then the backoff starts again. */
  readonly woken: boolean;
  /** Version of the kind's CustomResourceDefinition, if it ended the wait. */
  readonly definition?: string;
}

/**
 * Waits for `delay` ms, or until the event that `wake` names. Leaves no timer and no listener.
 *
 * @throws the reason of `signal` if it aborts first.
 */
export async function waitOrWake(options: WaitOptions, signal: AbortSignal): Promise<WaitEnd> {
  const { clock, delay, notBefore, wake } = options;
  const first = wake === 'nothing' ? delay : Math.min(delay, notBefore);
  if (first > 0) await sleep(clock, first, signal);
  if (first >= delay) return { woken: false };
  // The backoff continues: an exec plugin may return a different token for each request, and the server may refuse all
  // of them.
  if (endsWithCredentials(wake) && options.credentialChanges.seen) return { woken: false };

  const end = new AbortController();
  const rest = AbortSignal.any([signal, end.signal]);
  try {
    const time = sleep(clock, delay - first, rest).then((): WaitEnd => ({ woken: false }));
    time.catch(() => undefined);
    // A failed source does not end the wait. At its end, all sources are aborted and fail.
    const wakes = wakers(options, rest).map((wakeUp) => wakeUp.catch(() => time));
    return await Promise.race([time, ...wakes]);
  } finally {
    end.abort();
  }
}

function endsWithCredentials(wake: Waiting['wake']): boolean {
  return wake === 'recovery' || wake === 'credentials';
}

function wakers({ wake, listerWatcher, definition }: WaitOptions, signal: AbortSignal): Promise<WaitEnd>[] {
  switch (wake) {
    case 'recovery':
      return [untilRecovered(listerWatcher, signal), untilCredentials(listerWatcher, signal)];
    case 'credentials':
      return [untilCredentials(listerWatcher, signal)];
    case 'kind':
      return [
        listerWatcher.definitionChanged(definition, signal).then((changed) => ({ woken: true, definition: changed })),
      ];
    case 'nothing':
      return [];
  }
}

/**
 * Resolves when the server recovers from an outage. Otherwise the server refuses the request for another reason, so the
 * backoff continues.
 */
async function untilRecovered(listerWatcher: WaitOptions['listerWatcher'], signal: AbortSignal): Promise<WaitEnd> {
  const { outage } = await listerWatcher.recovered(signal);
  return outage > 0 ? { woken: true } : new Promise(() => undefined);
}

function untilCredentials(listerWatcher: WaitOptions['listerWatcher'], signal: AbortSignal): Promise<WaitEnd> {
  return new Promise((resolve) => {
    const forget = listerWatcher.onCredentials(() => resolve({ woken: true }));
    signal.addEventListener('abort', forget, { once: true });
  });
}
