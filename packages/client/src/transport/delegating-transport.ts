import type { Transport } from './transport.ts';

/** Creates a transport that sends requests with `send`, and delegates all other calls to `transport`. */
export function delegatingTransport(transport: Transport, send: Transport['send']): Transport {
  return {
    send,
    rotate: (config) => transport.rotate(config),
    onCredentials: (listener) => transport.onCredentials(listener),
    ping: async (timeout) => (await transport.ping?.(timeout)) ?? 'unknown',
    close: () => transport.close(),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}
