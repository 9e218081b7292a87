import { gzipSync } from 'node:zlib';
import { expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { ClientMetrics } from './client-metrics.ts';
import { failureOf, fetchText, openWatch, transportFixture } from './transport.fixture.ts';

const { startServer, transportTo } = transportFixture();

/** Records each measurement as a line. */
function recordingMetrics(): ClientMetrics & { readonly lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    requested: ({ method }, { code, duration, bytes }) =>
      void lines.push(`${method} ${code} in ${duration} ms, ${bytes} bytes sent`),
    responded: ({ method }, bytes) => void lines.push(`${method} ${bytes} bytes read`),
    rateLimited: ({ method }, delay) => void lines.push(`${method} delayed by ${delay} ms`),
    retried: ({ method }, code) => void lines.push(`${method} retried after ${code}`),
  };
}

async function untilTrue(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

it('counts each attempt, retries, and the sizes of bodies', async () => {
  const metrics = recordingMetrics();
  let requests = 0;
  const server = await startServer((request, response) => {
    requests += 1;
    request.resume();
    if (requests === 1) response.writeHead(503).end();
    else if (request.url === '/silent') return;
    else if (request.url === '/watch') response.write('line\n');
    else response.writeHead(201, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1000)));
  });
  const clock = new VirtualClock();
  const transport = transportTo(server, {}, { clock, metrics, random: () => 0 });
  const text = fetchText(transport);
  await untilTrue(() => metrics.lines.length === 1);
  await clock.advance(800);
  await text;
  await fetchText(transport, '/', { method: 'POST', body: 'é' });
  const silent = failureOf(fetchText(transport, '/silent', { timeout: 300 }));
  await untilTrue(() => requests === 4);
  await clock.advance(300);
  await silent;
  await (await openWatch(transport)).return?.();
  expect(metrics.lines).toEqual([
    'GET 503 in 0 ms, 0 bytes sent',
    'GET retried after 503',
    'GET 201 in 0 ms, 0 bytes sent',
    'GET 1000 bytes read',
    'POST 201 in 0 ms, 2 bytes sent',
    'POST 1000 bytes read',
    'GET <error> in 300 ms, 0 bytes sent',
    'GET 200 in 0 ms, 0 bytes sent',
  ]);
});

it('measures how long qps delays requests', async () => {
  const metrics = recordingMetrics();
  const server = await startServer((_, response) => void response.end());
  const clock = new VirtualClock();
  const transport = transportTo(server, { qps: 1, burst: 1 }, { clock, metrics });
  await fetchText(transport);
  const second = fetchText(transport);
  await clock.advance(1000);
  await second;
  expect(metrics.lines.filter((line) => line.includes('delayed'))).toEqual([
    'GET delayed by 0 ms',
    'GET delayed by 1000 ms',
  ]);
});
