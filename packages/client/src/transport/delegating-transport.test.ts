import { describe, expect, it } from '@jest/globals';
import { warningTransport } from '../client/warning-transport.ts';
import { silentLogger } from '../log/logger.ts';
import { RecordingTracer } from '../tracing/recording-tracer.fixture.ts';
import { tracedTransport } from '../tracing/traced-transport.ts';
import { delegatingTransport } from './delegating-transport.ts';
import type { Transport, TransportResponse } from './transport.ts';

type Decorator = (transport: Transport) => Transport;

const DECORATORS: readonly (readonly [string, Decorator])[] = [
  ['delegatingTransport', (transport) => delegatingTransport(transport, (request) => transport.send(request))],
  ['tracedTransport', (transport) => tracedTransport(transport, { tracer: new RecordingTracer() })],
  ['warningTransport', (transport) => warningTransport(transport, () => undefined, silentLogger)],
];

/** Creates a transport that only records its calls. */
function recordingTransport({ hasPings = true } = {}) {
  const called: string[] = [];
  const transport: Transport = {
    send: async () => {
      called.push('send');
      return { status: 200, headers: {} } as TransportResponse;
    },
    rotate: async () => void called.push('rotate'),
    onCredentials: () => {
      called.push('onCredentials');
      return () => void called.push('ignore');
    },
    ...(hasPings && {
      ping: async (timeout) => {
        called.push(`ping ${timeout}`);
        return 'silent';
      },
    }),
    close: async () => void called.push('close'),
    [Symbol.asyncDispose]: async () => undefined,
  };
  return { transport, called };
}

describe.each(DECORATORS)('%s', (_, decorate) => {
  it('FP-2: delegates every call, including pings', async () => {
    const { transport, called } = recordingTransport();
    const decorated = decorate(transport);
    await decorated.send({ method: 'GET', path: '/version' });
    await decorated.rotate({ server: 'https://h' });
    decorated.onCredentials(() => undefined)();
    expect(await decorated.ping?.(250)).toBe('silent');
    await decorated[Symbol.asyncDispose]();
    expect(called).toEqual(['send', 'rotate', 'onCredentials', 'ignore', 'ping 250', 'close']);
  });

  it('FP-2: returns unknown for a ping if the transport has no pings', async () => {
    const { transport } = recordingTransport({ hasPings: false });
    expect(await decorate(transport).ping?.(250)).toBe('unknown');
  });
});
