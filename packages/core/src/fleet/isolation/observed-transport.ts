import type { ReadWaitObserver, RestMapper, Transport } from '@mcr/client';
import { delegatingTransport, orAborted } from '@mcr/client';
import { currentScope } from './call-scope.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { observedResponse } from './observed-response.ts';

/**
 * Returns a transport whose requests from within reconciles are observed by `breaker` until their response was read
 * completely, and refused while it is open.
 */
export function observedTransport(transport: Transport, breaker: CircuitBreaker): Transport {
  return delegatingTransport(transport, async (request) => {
    const scope = currentScope();
    // A watch has no end, so a reconcile that opens one does not wait for a response.
    if (!scope || request.streaming) return transport.send(request);
    const { method, signal, purpose } = request;
    const call = breaker.begin(scope, method);
    try {
      const response = await transport.send({
        ...request,
        signal: call.abortedWith(signal),
        onRetry: (delay) => call.postponed(delay),
        onFailedTry: (error) => call.failedTry(error),
      });
      call.headersArrived({ isList: purpose === 'list' });
      return observedResponse(response, {
        received: (bytes) => call.received(bytes),
        done: () => call.answered(),
        failed: (error) => call.failed(error),
      });
    } catch (error) {
      throw call.failed(error);
    }
  });
}

/**
 * Returns a mapper whose discovery is observed by `breaker` while a reconcile waits for it. Discovery itself is shared.
 */
export function observedRestMapper(restMapper: RestMapper, breaker: CircuitBreaker): RestMapper {
  return {
    async resolve(kind) {
      const scope = currentScope();
      if (!scope) return restMapper.resolve(kind);
      const call = breaker.begin(scope, 'GET');
      try {
        const mapping = await orAborted(restMapper.resolve(kind), call.signal);
        call.settled();
        return mapping;
      } catch (error) {
        throw call.failed(error);
      }
    },
    resources: () => restMapper.resources(),
    forget: (kind) => restMapper.forget(kind),
  };
}

/**
 * Returns an observer with which `breaker` follows how long reconciles wait for an informer to sync before a read. The
 * wait ends when the reconcile's signal aborts, even if the signal was not passed to the read, so that a manager can stop
 * without waiting for a sync.
 */
export function observedWait(breaker: CircuitBreaker): ReadWaitObserver {
  return async (wait, signal) => {
    const scope = currentScope();
    if (!scope) return wait(signal);
    const call = breaker.beginWait(scope);
    try {
      await wait(call.abortedWith(signal ? AbortSignal.any([signal, scope.signal]) : scope.signal));
      call.settled();
    } catch (error) {
      throw call.failed(error);
    }
  };
}
