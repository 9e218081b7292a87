import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Transport, TransportRequest } from '@mcr/client';
import { createTransport, delegatingTransport } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { NotOwnerError } from '../multicluster/not-owner-error.ts';
import { fencedTransport, type FencedTransportOptions } from './fenced-transport.ts';
import { WriteFence } from './write-fence.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const POST = { method: 'POST', path: PATH, body: '{}' } as const;

const resources: AsyncDisposable[] = [];
afterEach(async () => {
  while (resources.length > 0) await resources.pop()?.[Symbol.asyncDispose]();
});

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Answers with a status. */
const status =
  (code: number): Answer =>
  (response) =>
    void response.writeHead(code, { 'retry-after': '1' }).end('{}');

/** Starts a server that handles its requests with `answers`, and then answers 200. */
async function setUp(answers: readonly Answer[] = [], options: FencedTransportOptions = {}) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const answer = answers[seen.length] ?? status(200);
    seen.push(`${request.method} ${request.url}`);
    request.resume();
    answer(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clock = new VirtualClock();
  const direct = createTransport({ server: `http://127.0.0.1:${port}` }, { clock, random: () => 0 });
  resources.push(
    {
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      },
    },
    direct,
  );
  const state = { isOpen: true };
  const fence = new WriteFence({ clusterName: 'eu-1', clock, mayWrite: () => state.isOpen });
  const sent: TransportRequest[] = [];
  const recording = delegatingTransport(direct, (request) => {
    sent.push(request);
    return direct.send(request);
  });
  const transport = fencedTransport(recording, () => fence, options);
  const write = (request: Partial<TransportRequest> = {}) => sendWith(transport, { ...POST, ...request });
  return { seen, sent, server, clock, state, fence, transport, write };
}

async function sendWith(transport: Transport, request: TransportRequest): Promise<number> {
  const response = await transport.send(request);
  await response.bytes();
  return response.status;
}

/** Waits for real I/O without advancing the virtual clock. */
async function untilTrue(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a fenced transport', () => {
  it('SH-4: sends no write while the fence is closed, and reads as always', async () => {
    const { seen, state, write, transport, fence } = await setUp();
    state.isOpen = false;
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      await expect(write({ method })).rejects.toThrow(NotOwnerError);
    }
    expect(seen).toEqual([]);
    await sendWith(transport, { method: 'GET', path: PATH });
    await write({ path: `${PATH}?dryRun=All` });
    expect(seen).toEqual([`GET ${PATH}`, `POST ${PATH}?dryRun=All`]);
    expect(fence.isSettled).toBe(true);
    state.isOpen = true;
    expect(await write()).toBe(200);
  });

  it('SH-4: a write that began before a pause is refused before its second attempt', async () => {
    const { seen, clock, state, write, fence } = await setUp([status(429)]);
    const delays: number[] = [];
    const writing = write({ onRetry: (delay) => void delays.push(delay) });
    await untilTrue(() => delays.length === 1);
    expect(fence.isSettled).toBe(true);
    state.isOpen = false;
    const refused = expect(writing).rejects.toThrow(NotOwnerError);
    await clock.advance(delays[0] ?? 0);
    await refused;
    expect(seen).toHaveLength(1);
    expect([fence.isSettled, clock.pendingTimers]).toEqual([true, 0]);
  });

  it('SH-4: asks the fence after the callbacks of its caller', async () => {
    const { seen, state, write } = await setUp();
    await expect(write({ beforeSend: () => (state.isOpen = false) })).rejects.toThrow(NotOwnerError);
    state.isOpen = true;
    const refuse = () => {
      throw new Error('refused by the caller');
    };
    await expect(write({ beforeSend: refuse })).rejects.toThrow('refused by the caller');
    expect(seen).toEqual([]);
  });

  it('SH-4: sends the deadline to the server, in place of one that the path has', async () => {
    const { seen, write } = await setUp();
    await write();
    await write({ method: 'PATCH', path: `${PATH}/a?force=true` });
    await write({ path: `${PATH}?timeout=30s&fieldManager=mcr` });
    expect(seen).toEqual([
      `POST ${PATH}?timeout=5000ms`,
      `PATCH ${PATH}/a?force=true&timeout=5000ms`,
      `POST ${PATH}?fieldManager=mcr&timeout=5000ms`,
    ]);
  });

  it('SH-4: sends the deadline in milliseconds, because a longer one would outlast the fence', async () => {
    const { clock } = await setUp();
    const paths: string[] = [];
    const recording = { send: async ({ path }: TransportRequest) => void paths.push(path) } as unknown as Transport;
    const fence = new WriteFence({ clusterName: 'eu-1', clock, mayWrite: () => true, writeDeadline: 2_001 });
    await fencedTransport(recording, () => fence)
      .send(POST)
      .catch(() => undefined);
    expect(paths).toEqual([`${PATH}?timeout=2001ms`]);
  });

  it('SH-4: a write has the smallest of the deadlines', async () => {
    const { sent, write } = await setUp([], { requestTimeout: 4_000 });
    await write();
    await write({ timeout: 3_000 });
    await write({ timeout: 60_000 });
    expect(sent.map(({ timeout }) => timeout)).toEqual([4_000, 3_000, 5_000]);
  });

  it('SH-5: a write is unanswered until the server responds', async () => {
    const responses: ServerResponse[] = [];
    const { fence, write, clock } = await setUp([(response) => void responses.push(response)]);
    const writing = write();
    await untilTrue(() => responses.length === 1);
    const settled: number[] = [];
    fence.onSettled(() => settled.push(clock.now()));
    expect([fence.isSettled, settled]).toEqual([false, []]);
    responses[0]?.end('{}');
    expect(await writing).toBe(200);
    expect([fence.isSettled, settled, clock.pendingTimers]).toEqual([true, [0], 0]);
  });

  it.each<[string, Answer]>([
    ['lost connection', (response) => void response.destroy()],
    ['status 500', status(500)],
    ['status 504', status(504)],
  ])('SH-5: after a %s, the write is unanswered until its deadline', async (_, answer) => {
    const { seen, fence, write, clock } = await setUp([answer]);
    await write().catch(() => undefined);
    const settled: number[] = [];
    fence.onSettled(() => settled.push(clock.now()));
    await clock.advance(4_999);
    expect([fence.isSettled, settled]).toEqual([false, []]);
    await clock.advance(1);
    expect([fence.isSettled, settled, seen.length, clock.pendingTimers]).toEqual([true, [5_000], 1, 0]);
  });

  it('SH-5: a write that its caller aborts is unanswered until its deadline', async () => {
    const { seen, fence, write, clock } = await setUp([() => undefined]);
    const aborting = new AbortController();
    const writing = write({ signal: aborting.signal });
    await untilTrue(() => seen.length === 1);
    aborting.abort(new Error('stopped'));
    await expect(writing).rejects.toThrow('stopped');
    expect(fence.isSettled).toBe(false);
    await clock.advance(5_000);
    expect(fence.isSettled).toBe(true);
  });

  it('SH-5: a write that times out is not unanswered any longer', async () => {
    const { seen, fence, write, clock } = await setUp([() => undefined]);
    const writing = expect(write()).rejects.toMatchObject({ code: 'deadline' });
    await untilTrue(() => seen.length === 1);
    await clock.advance(5_000);
    await writing;
    expect(fence.isSettled).toBe(true);
  });

  it('SH-5: a write that was not sent is not unanswered', async () => {
    const { server, fence, write, clock } = await setUp();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    resources.shift();
    const delays: number[] = [];
    const writing = expect(write({ onFailedTry: () => void delays.push(clock.now()) })).rejects.toMatchObject({
      code: 'refused',
    });
    for (const failures of [1, 2]) {
      await untilTrue(() => delays.length === failures);
      expect(fence.isSettled).toBe(true);
      await clock.advance(failures * 800);
    }
    await writing;
    expect([fence.isSettled, clock.pendingTimers]).toEqual([true, 0]);
  });

  it('SH-4: two fenced transports ask both fences', async () => {
    const { seen, state, transport, clock } = await setUp();
    const other = { isOpen: false };
    const fence = new WriteFence({ clusterName: 'hub', clock, mayWrite: () => other.isOpen });
    const twice = fencedTransport(transport, () => fence);
    await expect(twice.send(POST)).rejects.toMatchObject({ clusterName: 'hub' });
    other.isOpen = true;
    state.isOpen = false;
    await expect(twice.send(POST)).rejects.toMatchObject({ clusterName: 'eu-1' });
    expect(seen).toEqual([]);
  });
});
