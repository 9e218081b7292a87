import type { DeepReadonly, KubernetesObject } from '@mcr/client';
import { foundText, objectKeyText, shortened } from '@mcr/client';
import type { ObjectEvent } from '../event/event.ts';

/**
 * Checks that a value is an event handler.
 *
 * @param call name of the function in errors, for example `watches`.
 * @throws {TypeError} if it is not one. The message names what was found and what to pass.
 */
export function checkHandler(call: string, handler: unknown): void {
  if (typeof handler === 'function') return;
  throw new TypeError(
    `${call}: expected an event handler, found ${foundText(handler)}: pass enqueueRequestForObject(), or enqueueMapped(map)`,
  );
}

/**
 * Checks that a handler returned nothing. Requests returned by mistake, as by a mapping function, would not be enqueued.
 *
 * @throws {TypeError} that names the object and the returned value.
 */
export function checkHandled(event: ObjectEvent, returned: unknown): void {
  if (!isIterable(returned)) return;
  throw new TypeError(
    `event handler of ${objectText(event.object)}: expected it to return nothing, found ${foundText(returned)}: ` +
      'wrap a mapping function in enqueueMapped(map), or call queue.add(request)',
  );
}

/** Returns the error for a mapping function that did not return requests for `object`. */
export function notMapped(object: DeepReadonly<KubernetesObject>, found: string): TypeError {
  return new TypeError(
    `mapping function of ${objectText(object)}: expected it to return an array of requests, found ${found}: ` +
      'return [{ namespace, name }], or [] for none',
  );
}

export function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function objectText({ kind, metadata }: DeepReadonly<KubernetesObject>): string {
  return shortened(`${kind} ${objectKeyText(metadata)}`, 512);
}
