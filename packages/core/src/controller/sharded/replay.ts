import { orAborted, silentLogger } from '@mcr/client';
import { Lifetime } from '../../fleet/clusters/lifetime.ts';
import { CacheSyncTimeoutError } from '../cache-sync-timeout-error.ts';
import type { ClusterSource, ClusterSourceContext } from '../source/source.ts';

export type ReplayOptions<R> = Omit<ClusterSourceContext<R>, 'onUnhandled' | 'log'> & {
  readonly source: ClusterSource<R>;
  /** Deadline, in milliseconds. */
  readonly timeout: number;
};

/**
 * Delivers all objects of a source once more, through a second, temporary start of it. Resolves when all of them have
 * been handled, or when `signal` aborts.
 *
 * @throws the error of the source, or of the first event that could not be handled.
 * @throws {CacheSyncTimeoutError} after `timeout`.
 */
export async function replay<R>({ source, timeout, ...context }: ReplayOptions<R>): Promise<void> {
  const { signal: outer, clock } = context;
  const isOver = () => outer.aborted;
  if (isOver()) return;
  const lifetime = new Lifetime(outer);
  const { signal } = lifetime;
  const failures: Error[] = [];
  const failed = Promise.withResolvers<never>();
  const timer = clock.schedule(timeout, () =>
    failed.reject(new CacheSyncTimeoutError(`${source.name} was not delivered again within ${timeout} ms`)),
  );
  const deliver = async () => {
    // The caller reports its failures.
    const log = silentLogger;
    const onUnhandled = (error: Error | undefined) => {
      if (error) failures.push(error);
      else failures.length = 0;
    };
    const started = await source.start({ ...context, log, signal, onUnhandled });
    if (signal.aborted) started.stop();
    else signal.addEventListener('abort', () => started.stop(), { once: true });
    await started.synced;
  };
  try {
    await orAborted(Promise.race([deliver(), failed.promise]), outer);
    const [unhandled] = failures;
    if (unhandled) throw unhandled;
  } catch (error) {
    if (!isOver()) throw error;
  } finally {
    timer.cancel();
    lifetime.complete();
  }
}
