import { getEventListeners } from 'node:events';
import { constants } from 'node:http2';
import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { delegatingTransport } from './delegating-transport.ts';
import type { Handler } from './server.fixture.ts';
import type { Transport } from './transport.ts';
import { echo, fetchText, transportFixture } from './transport.fixture.ts';

const { startServer, startHoldableProxy, transportTo } = transportFixture();

const POST = { method: 'POST', path: '/', body: '{}' } as const;

/** Waits for real I/O without advancing a virtual clock. */
async function untilTrue(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** Starts a server that records its requests, and answers them with `statuses`, then with {@link echo}. */
async function recordingServer(protocol: string, ...statuses: readonly number[]) {
  const seen: string[] = [];
  const handler: Handler = (request, response) => {
    const status = statuses[seen.length];
    seen.push(`${request.method} ${request.url}`);
    if (status === undefined) echo(request, response);
    else response.writeHead(status, { 'retry-after': '1' }).end();
  };
  return { server: await startServer(handler, { protocol }), seen };
}

function refuse(): never {
  throw new Error('refused before it was sent');
}

describe.each(['h2', 'http/1.1'])('beforeSend over %s', (protocol) => {
  it('SH-4: is called once for each attempt, before the server sees it', async () => {
    const { server, seen } = await recordingServer(protocol, 429, 503);
    const clock = new VirtualClock();
    const transport = transportTo(server, {}, { clock, random: () => 0 });
    const seenBefore: number[] = [];
    const delays: number[] = [];
    const text = fetchText(transport, '/', {
      ...POST,
      beforeSend: () => void seenBefore.push(seen.length),
      onRetry: (delay) => void delays.push(delay),
    });
    for (const attempts of [1, 2]) {
      await untilTrue(() => delays.length === attempts);
      expect(seenBefore).toHaveLength(attempts);
      await clock.advance(delays.at(-1) ?? 0);
    }
    expect(await text).toContain('POST /');
    expect(seenBefore).toEqual([0, 1, 2]);
  });

  it('SH-4: a refusal sends nothing, is not retried, and leaves no timer, no listener and no unusable connection', async () => {
    const { server, seen } = await recordingServer(protocol);
    const clock = new VirtualClock();
    const transport = transportTo(server, {}, { clock });
    const { signal } = new AbortController();
    let calls = 0;
    const beforeSend = () => {
      calls += 1;
      refuse();
    };
    const refused = () => transport.send({ ...POST, beforeSend, signal });
    await expect(refused()).rejects.toThrow('refused before it was sent');
    await fetchText(transport, '/first');
    await expect(refused()).rejects.toThrow('refused before it was sent');
    await fetchText(transport, '/second');
    expect([calls, seen]).toEqual([2, ['GET /first', 'GET /second']]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await transport.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it('SH-4: an attempt after a refused one has its own decision', async () => {
    const { server, seen } = await recordingServer(protocol, 429);
    const clock = new VirtualClock();
    const transport = transportTo(server, {}, { clock, random: () => 0 });
    let isOpen = true;
    const sent = transport.send({
      ...POST,
      beforeSend: () => {
        if (!isOpen) refuse();
      },
      onRetry: (delay) => {
        isOpen = false;
        setImmediate(() => void clock.advance(delay));
      },
    });
    await expect(sent).rejects.toThrow('refused before it was sent');
    expect(seen).toEqual(['POST /']);
  });

  it('SH-4: is called after the wait for a connection', async () => {
    const { server, seen } = await recordingServer(protocol);
    const proxy = await startHoldableProxy(server);
    let calls = 0;
    let isOpen = true;
    const waiting = transportTo(proxy).send({
      ...POST,
      beforeSend: () => {
        calls += 1;
        if (!isOpen) refuse();
      },
    });
    await untilTrue(() => proxy.connections === 1);
    proxy.hold();
    expect(calls).toBe(0);
    isOpen = false;
    proxy.release();
    await expect(waiting).rejects.toThrow('refused before it was sent');
    expect([calls, seen]).toEqual([1, []]);
  });

  it('SH-4: is called after the wait for the client-side rate limit', async () => {
    const { server, seen } = await recordingServer(protocol);
    const clock = new VirtualClock();
    const transport = transportTo(server, { qps: 1, burst: 1 }, { clock });
    await fetchText(transport);
    let calls = 0;
    const waiting = fetchText(transport, '/', { ...POST, beforeSend: () => void (calls += 1) });
    await clock.advance(999);
    expect(calls).toBe(0);
    await clock.advance(1);
    expect(await waiting).toContain('POST');
    expect([calls, seen.length]).toEqual([1, 2]);
  });
});

describe('beforeSend', () => {
  it('SH-4: is called again when the server refuses the HTTP/2 stream, and a refusal keeps the connection', async () => {
    const seen: string[] = [];
    const server = await startServer((request, response) => {
      seen.push(request.method);
      if (seen.length === 1) response.stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else echo(request, response);
    });
    const transport = transportTo(server);
    let calls = 0;
    const beforeSend = () => {
      calls += 1;
      if (calls === 2) refuse();
    };
    await expect(transport.send({ ...POST, beforeSend })).rejects.toThrow('refused before it was sent');
    expect(seen).toEqual(['POST']);
    expect(await fetchText(transport, '/', { beforeSend })).toContain('GET');
    expect([calls, server.connections]).toEqual([3, 1]);
  });

  it('SH-4: is called for each delegating transport that sets it, and any of them may refuse', async () => {
    const { server, seen } = await recordingServer('h2');
    const called: string[] = [];
    const guarded = (transport: Transport, name: string, guard = () => {}) =>
      delegatingTransport(transport, (request) =>
        transport.send({
          ...request,
          beforeSend: () => {
            request.beforeSend?.();
            called.push(name);
            guard();
          },
        }),
      );
    const inner = guarded(transportTo(server), 'inner');
    await fetchText(guarded(inner, 'outer'), '/', { beforeSend: () => void called.push('caller') });
    expect(called).toEqual(['caller', 'outer', 'inner']);
    await expect(fetchText(guarded(inner, 'refusing', refuse))).rejects.toThrow('refused before it was sent');
    expect([called.at(-1), seen.length]).toEqual(['refusing', 1]);
  });
});
