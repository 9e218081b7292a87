import * as z from 'zod';
import type { Clock, Timer } from '@mcr/client';
import { parseOptions, systemClock } from '@mcr/client';
import { DEFAULT_DEADLINE } from './default-deadline.ts';

/** Options of {@link eventually}. */
export interface EventuallyOptions {
  /** Deadline for the condition, in milliseconds. Default: 30,000. */
  readonly deadline?: number;
  /** Poll interval, in milliseconds. Default: 10. */
  readonly interval?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
  /** Default: the system clock. With a `VirtualClock`, the condition is polled when the test advances the clock. */
  readonly clock?: Clock;
}

const anything = z.unknown().optional();
const schema = z.strictObject({
  deadline: anything,
  interval: anything,
  signal: anything,
  clock: anything,
} satisfies Record<keyof EventuallyOptions, z.ZodType>);

/**
 * Polls `condition` and resolves with its result once that is not `false`. A condition that throws or rejects is polled
 * again, so that it may consist of assertions. (Upstream: Gomega's `Eventually`.)
 *
 * Every other result ends the wait, also `undefined`: `client.find` resolves with `undefined` at once. To wait for an
 * object, use `client.get`, which throws until the object exists. To wait for a deletion, compare the result of `find`.
 *
 * @example
 * const settings = await eventually(() => client.get(ConfigMap, key));
 * await eventually(async () => (await client.find(ConfigMap, key)) === undefined);
 * await eventually(async () => expect((await client.get(ConfigMap, key)).data).toEqual({ colour: 'blue' }));
 * @throws {TypeError} if an option is unknown.
 * @throws {Error} after the deadline, with the last failure as `cause`, or the signal's reason if it aborts.
 */
export async function eventually<Value>(
  condition: () => Value | Promise<Value>,
  options: EventuallyOptions = {},
): Promise<Exclude<Awaited<Value>, false>> {
  parseOptions('eventually', schema, options);
  const { deadline = DEFAULT_DEADLINE, interval = 10, signal, clock = systemClock } = options;
  signal?.throwIfAborted();
  const end = Promise.withResolvers<never>();
  let failure: unknown = new Error('the condition is false');
  const onAbort = () => end.reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  let timer: Timer | undefined;
  const limit = clock.schedule(deadline, () => {
    const why = failure instanceof Error ? failure.message : String(failure);
    end.reject(new Error(`it did not hold within ${deadline} ms: ${why}`, { cause: failure }));
  });

  try {
    for (;;) {
      try {
        const value = await Promise.race([condition(), end.promise]);
        if (value !== false) return value as Exclude<Awaited<Value>, false>;
        failure = new Error('the condition is false');
      } catch (error) {
        failure = error;
      }
      const tick = Promise.withResolvers<void>();
      timer = clock.schedule(interval, tick.resolve);
      await Promise.race([tick.promise, end.promise]);
    }
  } finally {
    limit.cancel();
    timer?.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
