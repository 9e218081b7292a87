import { getEventListeners } from 'node:events';
import { constants } from 'node:http2';
import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { silentLogger, type Logger } from '../log/logger.ts';
import type { Handler, TestServer } from './server.fixture.ts';
import type { TransportRequest } from './transport.ts';
import { echo, failureOf, fetchText, transportFixture } from './transport.fixture.ts';

const { startServer, transportTo } = transportFixture();

const GET = { method: 'GET' } as const;
const POST = { method: 'POST', body: '{}' } as const;

/**
 * Responds to the first requests with `answers`, each a status with or without `Retry-After`, then with {@link echo}.
 */
function scripted(...answers: readonly (number | readonly [status: number, retryAfter: string])[]) {
  const requests: string[] = [];
  const handler: Handler = (request, response) => {
    const [status, retryAfter] = [answers[requests.length] ?? 200].flat();
    requests.push(request.method);
    if (status === 200) {
      echo(request, response);
      return;
    }
    response.writeHead(status as number, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
    // The body has no end, so the client must cancel it.
    response.write('x'.repeat(1000));
  };
  return { handler, requests };
}

/** Waits for real I/O without advancing the virtual clock. */
async function untilTrue(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** Creates a transport with a virtual clock that records the delays of its retries. */
function waiting(server: Pick<TestServer, 'port'>, random = 0) {
  const clock = new VirtualClock();
  const waits: number[] = [];
  const logger: Logger = {
    ...silentLogger,
    debug: (_, fields) => void (fields && 'retryIn' in fields && waits.push(Number(fields['retryIn']))),
  };
  const transport = transportTo(server, {}, { clock, logger, random: () => random });
  let seen = 0;
  return {
    clock,
    transport,
    waits,
    /** Expects the next wait to take `delay` ms, and advances the clock to its end. */
    wait: async (delay: number) => {
      seen += 1;
      await untilTrue(() => waits.length === seen);
      expect(waits.at(-1)).toBe(delay);
      await clock.advance(delay - 1);
      return clock.advance(1);
    },
    statusOf: (request: Partial<TransportRequest>) =>
      transport.send({ ...GET, path: '/', ...request }).then((response) => {
        response.cancel();
        return response.status;
      }),
  };
}

async function started(handler: Handler, { protocol = 'h2', random = 0 } = {}) {
  const server = await startServer(handler, { protocol });
  return { server, ...waiting(server, random) };
}

describe('retries', () => {
  it.each(['h2', 'http/1.1'])(
    'F-7: a read over %s is retried after 0.8 s and 1.6 s, then its response is returned',
    async (protocol) => {
      const { handler, requests } = scripted(500, 502, 503, 504);
      const { wait, statusOf } = await started(handler, { protocol });
      const status = statusOf(GET);
      await wait(800);
      await wait(1600);
      expect(await status).toBe(503);
      expect(requests).toHaveLength(3);
    },
  );

  it('F-2: a failed write is never retried if the server may have processed it', async () => {
    for (const status of [500, 502, 503, 504, 429]) {
      const { handler, requests } = scripted(status);
      const { statusOf } = await started(handler);
      expect(await statusOf(POST)).toBe(status);
      expect(requests).toEqual(['POST']);
    }
    const { handler, requests } = scripted([500, '1']);
    const { statusOf } = await started(handler);
    expect(await statusOf(POST)).toBe(500);
    expect(requests).toEqual(['POST']);
  });

  it.each([429, 503])(
    'F-6: a %s with Retry-After is retried after that time or later, also for a write',
    async (code) => {
      const { handler, requests } = scripted([code, '4'], [code, '4']);
      const { wait, statusOf } = await started(handler, { random: 0.5 });
      const status = statusOf(POST);
      await wait(5000);
      await wait(5000);
      expect(await status).toBe(200);
      expect(requests).toEqual(['POST', 'POST', 'POST']);
    },
  );

  it('FP-2, F-6: reports each response that is retried, with the delay until the retry', async () => {
    const { handler } = scripted([429, '4'], 503);
    const { wait, statusOf } = await started(handler);
    const delays: number[] = [];
    const status = statusOf({ ...GET, onRetry: (delay) => void delays.push(delay) });
    await wait(4000);
    await wait(1600);
    expect(await status).toBe(200);
    expect(delays).toEqual([4000, 1600]);
  });

  it('F-6: returns the response if Retry-After exceeds the deadline, and after ten retries', async () => {
    const late = scripted([429, '31']);
    expect(await (await started(late.handler)).statusOf(GET)).toBe(429);
    expect(late.requests).toHaveLength(1);

    const { handler, requests } = scripted(...Array.from({ length: 20 }, () => [429, '0'] as const));
    const { wait, statusOf } = await started(handler);
    const status = statusOf(GET);
    for (let retry = 1; retry <= 10; retry += 1) await wait(800);
    expect(await status).toBe(429);
    expect(requests).toHaveLength(11);
  });

  it('F-6: a watch, and a request with retry set to never, are not retried', async () => {
    for (const request of [{ streaming: true }, { retry: 'never' }] as const) {
      const { handler, requests } = scripted([429, '1']);
      const { statusOf } = await started(handler);
      expect(await statusOf(request)).toBe(429);
      expect(requests).toHaveLength(1);
    }
  });

  it('F-7: a refused connection is retried for reads and writes', async () => {
    const { clock, transport, wait } = waiting({ port: 1 });
    const answers: number[] = [];
    const failedTries: unknown[] = [];
    const failure = failureOf(
      transport.send({
        ...POST,
        path: '/',
        onRetry: (delay) => void answers.push(delay),
        onFailedTry: (error) => void failedTries.push(error),
      }),
    );
    await wait(800);
    await wait(1600);
    expect(await failure).toMatchObject({ code: 'refused', unprocessed: true });
    expect(answers).toEqual([]);
    expect(failedTries).toMatchObject([{ code: 'refused' }, { code: 'refused' }]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('F-2: a read whose connection is lost is retried on another connection', async () => {
    let requests = 0;
    const { server, transport, wait } = await started((request, response) => {
      requests += 1;
      if (requests > 1) {
        echo(request, response);
        return;
      }
      for (const socket of server.sockets) socket.destroy();
    });
    const text = fetchText(transport);
    await wait(800);
    expect(await text).toBe('HTTP/2.0 GET /');
    expect(server.connections).toBe(2);
  });

  it('all attempts share one deadline, and its error names the outcome of the previous attempt', async () => {
    let requests = 0;
    const { clock, transport, wait } = await started((_, response) => {
      requests += 1;
      if (requests === 1) response.writeHead(503).end();
    });
    const failure = failureOf(fetchText(transport, '/', { timeout: 5000 }));
    await wait(800);
    await untilTrue(() => requests === 2);
    await clock.advance(4200);
    const { code, message } = await failure;
    expect(code).toBe('deadline');
    expect(message).toMatch(/deadline of 5000 ms passed; previous attempt: status 503$/);
  });

  it('an abort and a close end the wait immediately, and leave no timer or listener', async () => {
    const { handler } = scripted(503, 503, 503);
    const { clock, transport, waits } = await started(handler);
    const controller = new AbortController();
    const aborted = transport.send({ ...GET, path: '/', signal: controller.signal });
    await untilTrue(() => waits.length === 1);
    controller.abort(new Error('stopped'));
    await expect(aborted).rejects.toThrow('stopped');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);

    const closed = failureOf(fetchText(transport));
    await untilTrue(() => waits.length === 2);
    await transport.close();
    expect(await closed).toMatchObject({ code: 'closed' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('the body of a response that is retried is canceled', async () => {
    const cancelled = Promise.withResolvers<number>();
    let requests = 0;
    const { transport, wait } = await started((request, response) => {
      requests += 1;
      if (requests > 1) {
        echo(request, response);
        return;
      }
      response.stream.once('close', () => cancelled.resolve(response.stream.rstCode));
      response.writeHead(503);
      response.write('endless');
    });
    const text = fetchText(transport);
    expect(await cancelled.promise).toBe(constants.NGHTTP2_CANCEL);
    await wait(800);
    expect(await text).toBe('HTTP/2.0 GET /');
  });
});
