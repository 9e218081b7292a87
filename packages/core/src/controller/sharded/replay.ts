import { orAborted, silentLogger } from '@mcr/client';
import { Lifetime } from '../../fleet/clusters/lifetime.ts';
import { CacheSyncTimeoutError } from '../cache-sync-timeout-error.ts';
import type { ClusterSource, ClusterSourceContext } from '../source/source.ts';

export type ReplayOptions<R> = Omit<ClusterSourceContext<R>, 'onUnhandled' | 'log'> & {
  readonly source: ClusterSource<R>;
  /** Deadline, in milliseconds. */
  readonly timeout: number;
};

/** Objects were delivered, and the events of some could not be handled in time. The cause is the first of the errors. */
export class UnhandledObjectsError extends Error {
  override readonly name = 'UnhandledObjectsError';

  constructor(source: string, cause: Error | undefined) {
    super(`objects of ${source} could not be handled: ${cause?.message}`, { cause });
  }
}

/** Time in which failed events are retried after all objects were delivered, in milliseconds. */
const HANDLING_TIME = 5_000;

/**
 * Delivers all objects of a source once more, through a second, temporary start of it. Resolves when all of them have
 * been handled, or when `signal` aborts. Failed events are retried until then, the others are not.
 *
 * @throws the error of the source.
 * @throws {UnhandledObjectsError} if events still fail some seconds after all objects were delivered.
 * @throws {CacheSyncTimeoutError} if the source did not sync within `timeout`.
 */
export async function replay<R>({ source, timeout, ...context }: ReplayOptions<R>): Promise<void> {
  const { signal: outer, clock } = context;
  const isOver = () => outer.aborted;
  if (isOver()) return;
  const lifetime = new Lifetime(outer);
  const { signal } = lifetime;
  /** The first error of an event that has not been handled since. */
  let failure: Error | undefined;
  const handled = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<never>();
  let timer = clock.schedule(timeout, () =>
    failed.reject(new CacheSyncTimeoutError(`${source.name} was not delivered again within ${timeout} ms`)),
  );
  const deliver = async () => {
    // The caller reports its failures.
    const log = silentLogger;
    const onUnhandled = (error: Error | undefined) => {
      failure = error;
      if (!error) handled.resolve();
    };
    const started = await source.start({ ...context, log, signal, onUnhandled });
    if (signal.aborted) started.stop();
    else signal.addEventListener('abort', () => started.stop(), { once: true });
    await started.synced;
    if (!failure) return;
    timer.cancel();
    timer = clock.schedule(HANDLING_TIME, () => failed.reject(new UnhandledObjectsError(source.name, failure)));
    await handled.promise;
  };
  try {
    await orAborted(Promise.race([deliver(), failed.promise]), outer);
  } catch (error) {
    if (!isOver()) throw error;
  } finally {
    timer.cancel();
    lifetime.complete();
  }
}
