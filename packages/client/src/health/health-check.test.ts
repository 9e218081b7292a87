import { once, type EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { isApiError } from '../response/api-error.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { startTcpServer, type Handler } from '../transport/server.fixture.ts';
import { echo, failureOf, fetchText, openWatch, transportFixture } from '../transport/transport.fixture.ts';
import { checkHealth } from './health-check.ts';

const { owned, startHoldableProxy, startServer, transportTo } = transportFixture();
const OBJECT = '/api/v1/namespaces/kube-system';
const never = new AbortController().signal;

/** Responds with a status and a body to the given paths, and never to others. */
function answering(
  answers: Record<string, readonly [status: number, body?: string]>,
  requested: string[] = [],
): Handler {
  return ({ url }, response) => {
    requested.push(url);
    const [status, body = ''] = answers[url] ?? [];
    if (status !== undefined) response.writeHead(status).end(body);
  };
}

const status = (code: number, reason: string): string =>
  JSON.stringify({ kind: 'Status', status: 'Failure', code, reason, message: reason });

async function check(answers: Parameters<typeof answering>[0], requested?: string[]): Promise<unknown> {
  const transport = transportTo(await startServer(answering(answers, requested)));
  return checkHealth(transport, { signal: never }).catch((error: unknown) => error);
}

describe('a health check', () => {
  it('F-24: sends one request, for /readyz, which reaches storage', async () => {
    const requested: string[] = [];
    expect(await check({ '/readyz': [200, 'ok'] }, requested)).toBe('storage');
    expect(requested).toEqual(['/readyz']);
  });

  it('F-24: fails if any check of the server fails, and names the failed checks', async () => {
    const body =
      '[+]ping ok\n[-]etcd failed: reason withheld\n[-]poststarthook/x failed: reason withheld\nreadyz check failed\n';
    const error = await check({ '/readyz': [500, body] });
    expect(isApiError(error) && error.status).toBe(500);
    expect((error as Error).message).toBe('GET /readyz answered 500: failed checks: etcd, poststarthook/x');
  });

  it('F-24: quotes only the names of failed checks, and at most five', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `[-]check-${index} failed: secret\n`).join('');
    const error = await check({ '/readyz': [503, `secret\n${names}`] });
    expect((error as Error).message).toBe(
      'GET /readyz answered 503: failed checks: check-0, check-1, check-2, check-3, check-4, …',
    );
  });

  it.each([
    ['401', 401, ''],
    ['403', 403, status(403, 'Forbidden')],
    ['404', 404, ''],
    ['a page of a proxy', 200, '<html>'],
  ])('F-24: reads an object from storage if /readyz returns %s', async (_, code, body) => {
    expect(await check({ '/readyz': [code, body], [OBJECT]: [200, '{"kind":"Namespace"}'] })).toBe('storage');
  });

  it('F-24: a missing object proves that storage was read, a forbidden one only that the server responds', async () => {
    const unreadable = { '/readyz': [403] } as const;
    expect(await check({ ...unreadable, [OBJECT]: [404, status(404, 'NotFound')] })).toBe('storage');
    expect(await check({ ...unreadable, [OBJECT]: [403, status(403, 'Forbidden')] })).toBe('server');
  });

  it.each([
    [401, status(401, 'Unauthorized')],
    [404, '<html>'],
    [504, status(504, 'Timeout')],
  ])('F-24: fails if /readyz is forbidden and the read of the object returns %d', async (code, body) => {
    expect(await check({ '/readyz': [403], [OBJECT]: [code, body] })).toMatchObject({ name: 'ApiError', status: code });
  });

  it('F-24: applies one deadline to both requests while a quorum read hangs', async () => {
    const clock = new VirtualClock();
    const requested = {
      '/readyz': Promise.withResolvers<Parameters<Handler>[1]>(),
      [OBJECT]: Promise.withResolvers<unknown>(),
    };
    const server = await startServer(({ url }, response) => {
      if (url === '/readyz' || url === OBJECT) requested[url].resolve(response);
      else response.end();
    });
    const transport = transportTo(server, {}, { clock });
    const checked = failureOf(checkHealth(transport, { signal: never, clock }));
    /**
     * Waits until the server acknowledged the ping that is sent after 100 ms, which shows that the connection works.
     */
    const acknowledgedPing = async () => {
      const pinged = once(server.sessions[0] as EventEmitter, 'ping');
      await clock.advance(100);
      await pinged;
      // The response to a later request follows the acknowledgement of the ping.
      await fetchText(transport, '/later');
    };
    const response = await requested['/readyz'].promise;
    await acknowledgedPing();
    await clock.advance(1_900);
    response.writeHead(403).end();
    await requested[OBJECT].promise;
    await acknowledgedPing();
    await clock.advance(2_900);
    expect(await checked).toMatchObject({ code: 'deadline', message: expect.stringContaining('3000 ms') });
    expect(clock.now()).toBe(5_000);
  });

  it('F-3: abandons a connection that is silent for a second, and fails its watches so that they reconnect', async () => {
    const clock = new VirtualClock();
    const proxy = await startHoldableProxy(await startServer(echo));
    const transport = transportTo(proxy, {}, { clock });
    const watch = await openWatch(transport);
    const failure = failureOf(watch.next());
    proxy.hold();
    const checked = checkHealth(transport, { signal: never, clock }).catch((error: unknown) => error);
    await clock.advance(1_000);
    // The request was sent again; the server responds with something other than `ok`.
    expect(await checked).toBeInstanceOf(Error);
    expect(await failure).toMatchObject({ code: 'reset', message: expect.stringContaining('another connection') });
    expect(proxy.connections).toBe(2);
  });

  it('F-3: fails after two seconds if a second connection is silent too', async () => {
    const clock = new VirtualClock();
    const deaf = owned(await startTcpServer((socket) => void socket.pause()));
    const transport = transportTo(deaf, {}, { clock });
    const checked = failureOf(checkHealth(transport, { signal: never, clock }));
    await clock.advance(2_000);
    expect(await checked).toMatchObject({
      code: 'deadline',
      message: expect.stringContaining('the connection was silent'),
    });
    await transport.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
