import type { RestMapper, Transport } from '@mcr/client';
import { orAborted } from '@mcr/client';
import { currentScope } from './call-scope.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

/** A transport whose requests from within reconciles are observed by `breaker`, and refused while it is open. */
export function observedTransport(transport: Transport, breaker: CircuitBreaker): Transport {
  return {
    async send(request) {
      const scope = currentScope();
      // A watch has no end: who opens one within a reconcile waits for no response.
      if (!scope || request.streaming) return transport.send(request);
      const { method, signal } = request;
      const call = breaker.begin(scope, method);
      try {
        const response = await transport.send({ ...request, signal: call.abortedWith(signal) });
        call.answered();
        return response;
      } catch (error) {
        throw call.failed(error);
      }
    },
    rotate: (config) => transport.rotate(config),
    onCredentials: (listener) => transport.onCredentials(listener),
    close: () => transport.close(),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

/** A mapper whose discovery is observed by `breaker` when a reconcile waits for it. Discovery itself is shared. */
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
