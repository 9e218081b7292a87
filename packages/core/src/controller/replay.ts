import { Backoff, orAborted, sleep } from '@mcr/client';
import type { ClusterSource, ClusterSourceContext } from './source/source.ts';
import { Lifetime } from '../fleet/clusters/lifetime.ts';

/** Backoff of failed replays, in milliseconds. */
const RETRY = { base: 1_000, max: 30_000 };

export type ReplayOptions<R> = Omit<ClusterSourceContext<R>, 'onUnhandled'> & {
  readonly source: ClusterSource<R>;
};

/**
 * Delivers all objects of a source once more, through a second, temporary start of it. Resolves when all of them have
 * been handled, or when `signal` aborts. A failure is logged and retried.
 */
export async function replay<R>({ source, ...context }: ReplayOptions<R>): Promise<void> {
  const { signal, clock, log } = context;
  const backoff = new Backoff(RETRY);
  while (!signal.aborted) {
    const start = new Lifetime(signal);
    try {
      await deliverAll(source, { ...context, signal: start.signal });
      return;
    } catch (error) {
      if (signal.aborted) return;
      const retryIn = Math.round(backoff.next());
      log.warn('failed to deliver the objects of a source again, retrying', { error, retryIn });
      await sleep(clock, retryIn, signal).catch(() => undefined);
    } finally {
      start.complete();
    }
  }
}

async function deliverAll<R>(source: ClusterSource<R>, context: Omit<ClusterSourceContext<R>, 'onUnhandled'>) {
  const { signal } = context;
  /** Resolves when no failed event is being retried. Replaced while one is. */
  let allHandled = Promise.withResolvers<void>();
  allHandled.resolve();
  const onUnhandled = (error: Error | undefined) => {
    if (error) allHandled = Promise.withResolvers();
    else allHandled.resolve();
  };
  const started = await source.start({ ...context, onUnhandled });
  try {
    await orAborted(started.synced, signal);
    await orAborted(allHandled.promise, signal);
  } finally {
    started.stop();
  }
}
