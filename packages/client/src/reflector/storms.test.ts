import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { createCache } from '../cache/create-cache.ts';
import { createClient } from '../client/create-client.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { ConfigMap } from '../kinds/builtin.ts';
import type { Logger } from '../log/logger.ts';
import { createTransport } from '../transport/create-transport.ts';
import { startPlainServer, type Handler } from '../transport/server.fixture.ts';
import { transportFixture } from '../transport/transport.fixture.ts';
import { bookmark, initialEventsEnd } from './scripted-lister-watcher.fixture.ts';

const { owned } = transportFixture();
const MINUTES = 10;

/** Runs an informer for ten minutes. Returns its requests, its warnings and its last error. */
async function tenMinutesOf(handler: Handler) {
  let requests = 0;
  let pending = 0;
  const server = owned(
    await startPlainServer((request, response) => {
      requests += 1;
      pending += 1;
      response.once('close', () => (pending -= 1));
      handler(request, response);
    }),
  );
  const warnings: string[] = [];
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (message, fields) => warnings.push(`${message}: ${String(fields?.['error'])}`),
    error: (message) => warnings.push(message),
    child: () => logger,
  };
  const config = { server: `http://localhost:${server.port}` };
  const clock = new VirtualClock();
  // Sockets take real time.
  const transport = owned(createTransport(config));
  const cache = createCache({ client: createClient(config, { transport }), clock, logger, random: () => 0 });
  const end = new AbortController();
  const run = cache.run(end.signal);
  const informer = await cache.informer(ConfigMap);
  // The first connection is made in real time.
  while (requests === 0) await setImmediate();
  for (let time = 0; time < MINUTES * 60_000; time += 200) {
    await clock.advance(200);
    // Time goes by no faster than the server answers.
    for (let turns = 0; turns < 3 || pending > 0; turns += 1) await setImmediate();
  }
  const { lastError } = informer;
  end.abort();
  await run;
  return { requests, warnings, lastError };
}

it('F-26: a watch that ends after each bookmark is opened a few times a minute, reported once', async () => {
  const { requests, warnings, lastError } = await tenMinutesOf(({ url }, response) => {
    const initial = url.includes('sendInitialEvents');
    response.end(`${JSON.stringify(initial ? initialEventsEnd('10') : bookmark('10'))}\n`);
  });
  expect(requests).toBeGreaterThan(MINUTES);
  expect(requests).toBeLessThan(MINUTES * 5);
  expect(lastError?.message).toContain('watches in a row, each after less than 5000 ms');
  expect(warnings).toEqual([
    expect.stringContaining('list or watch failed: Error: the server ended 4 watches in a row'),
  ]);
});

it.each([
  ['without items', []],
  ['with one item', [{ metadata: { name: 'a', uid: 'a', resourceVersion: '9' } }]],
])(
  'F-26: a list that goes on without end, in pages %s, is asked for a page a second at most, reported once',
  async (_, items) => {
    let page = 0;
    const { requests, warnings, lastError } = await tenMinutesOf(({ url }, response) => {
      if (url.includes('sendInitialEvents')) {
        response.writeHead(422).end();
        return;
      }
      page += 1;
      response.end(JSON.stringify({ metadata: { resourceVersion: '10', continue: `page-${page}` }, items }));
    });
    expect(requests).toBeGreaterThan(MINUTES);
    expect(requests).toBeLessThan(100 + MINUTES * 65);
    expect(lastError?.message).toMatch(/^the list goes on after \d+ pages/);
    expect(warnings).toEqual([expect.stringContaining('list or watch failed: Error: the list goes on')]);
  },
);
