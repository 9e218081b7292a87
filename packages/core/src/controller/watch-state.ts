import { backoffDelay } from '@mcr/client';

/** State of one source of a controller in one cluster. */
export type WatchState =
  /** Left when the source has synced, has failed, or takes longer than its deadline. */
  | { readonly phase: 'starting'; readonly failures: number }
  /** Left only when it is stopped. */
  | { readonly phase: 'synced' }
  /** Ends after `retryAfter` milliseconds, or when the source syncs late. */
  | { readonly phase: 'failed'; readonly failures: number; readonly error: Error; readonly retryAfter: number }
  /** Never left. */
  | { readonly phase: 'stopped' };

export type WatchInput =
  | { readonly type: 'synced' }
  | { readonly type: 'failed'; readonly error: Error }
  | { readonly type: 'retry' }
  | { readonly type: 'stop' };

export const INITIAL: WatchState = { phase: 'starting', failures: 0 };

const RETRY = { base: 1_000, max: 300_000, jitter: 0 };

/** Returns the next state. Late input has no effect. */
export function transition(state: WatchState, input: WatchInput): WatchState {
  if (state.phase === 'stopped') return state;
  if (input.type === 'stop') return { phase: 'stopped' };
  if ((state.phase === 'starting' || state.phase === 'failed') && input.type === 'synced') return { phase: 'synced' };
  if (state.phase === 'starting' && input.type === 'failed') {
    const retryAfter = backoffDelay(RETRY, state.failures + 1);
    return { phase: 'failed', failures: state.failures + 1, error: input.error, retryAfter };
  }
  if (state.phase === 'failed' && input.type === 'retry') return { phase: 'starting', failures: state.failures };
  return state;
}
