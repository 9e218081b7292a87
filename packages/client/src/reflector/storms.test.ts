import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { createCache } from '../cache/create-cache.ts';
import { createClient } from '../client/create-client.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { ConfigMap } from '../kinds/builtin.ts';
import type { Logger } from '../log/logger.ts';
import { createTransport } from '../transport/create-transport.ts';
import type { ResponseLimits } from '../transport/response-limits.ts';
import { startPlainServer, type Handler } from '../transport/server.fixture.ts';
import { transportFixture } from '../transport/transport.fixture.ts';
import type { WatchEvent } from '../packed/watch-event.ts';
import { added, bookmark, configMap, initialEventsEnd, modified } from './scripted-lister-watcher.fixture.ts';

const { owned } = transportFixture();
const MINUTES = 10;

interface MinutesOptions {
  /** Default: {@link MINUTES}. */
  readonly minutes?: number;
  readonly limits?: ResponseLimits;
}

/** Runs an informer for some minutes. Returns its requests, its warnings, its last error and its objects. */
async function minutesOf(handler: Handler, { minutes = MINUTES, limits = {} }: MinutesOptions = {}) {
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
  // Sockets connect and respond in real time.
  const transport = owned(createTransport(config, { limits }));
  const send = transport.send.bind(transport);
  transport.send = async (request) => {
    pending += 1;
    return send(request).finally(() => (pending -= 1));
  };
  const cache = createCache({ client: createClient(config, { transport, limits }), clock, logger, random: () => 0 });
  const end = new AbortController();
  const run = cache.run(end.signal);
  const informer = await cache.informer(ConfigMap);
  // The first connection is made in real time.
  while (requests === 0) await setImmediate();
  let mostObjects = 0;
  for (let time = 0; time < minutes * 60_000; time += 200) {
    await clock.advance(200);
    // Virtual time advances only while the server is idle.
    for (let turns = 0; turns < 3 || pending > 0; turns += 1) {
      await setImmediate();
      mostObjects = Math.max(mostObjects, informer.store.size);
    }
  }
  const { lastError } = informer;
  const objects = informer.store.list();
  end.abort();
  await run;
  return { requests, warnings, lastError, mostObjects, objects };
}

it('F-26: a watch that ends after each bookmark is opened a few times per minute and reported once', async () => {
  const { requests, warnings, lastError } = await minutesOf(({ url }, response) => {
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

const itemsOf = (size: number) =>
  Array.from({ length: size }, (_, index) => ({
    metadata: { name: `a-${index}`, uid: `a-${index}`, resourceVersion: '9' },
  }));

it.each([
  [0, 1],
  [1, 1],
  [60, 20],
])(
  'F-26: an endless list in pages of %d objects is requested at most %d times per second and reported once',
  async (size, rate) => {
    const items = itemsOf(size);
    let page = 0;
    // Few enough requests for a slow machine.
    const minutes = 2;
    const handler: Handler = ({ url }, response) => {
      if (url.includes('sendInitialEvents')) {
        response.writeHead(422).end();
        return;
      }
      page += 1;
      response.end(JSON.stringify({ metadata: { resourceVersion: '10', continue: `page-${page}` }, items }));
    };
    const { requests, warnings, lastError } = await minutesOf(handler, { minutes });
    expect(requests).toBeGreaterThan(minutes);
    expect(requests).toBeLessThan(105 + minutes * 60 * rate);
    expect(lastError?.message).toMatch(/^the list continues after \d+ pages/);
    expect(warnings).toEqual([expect.stringContaining('list or watch failed: Error: the list continues')]);
  },
);

const LIMIT = 100_000;
const OUTGROWN = `the list and the changes since then have more than ${LIMIT} bytes, so they are listed again: raise limits.list`;

interface Flood {
  readonly version: () => number;
  readonly objects: () => readonly ConfigMap[];
  /** Returns the next event; `undefined` ends the watch. */
  readonly next: () => WatchEvent<ConfigMap> | undefined;
}

/** Lists `objects`, and sends events to each watch as fast as they are read. */
function flooding({ version, objects, next }: Flood): Handler {
  return ({ url }, response) => {
    const line = (event: WatchEvent<ConfigMap>): string => `${JSON.stringify(event)}\n`;
    const resourceVersion = String(version());
    if (!url.includes('watch=true')) {
      response.end(JSON.stringify({ metadata: { resourceVersion }, items: objects() }));
      return;
    }
    if (url.includes('sendInitialEvents')) {
      response.write([...objects().map(added), initialEventsEnd(resourceVersion)].map(line).join(''));
    }
    const write = (): void => {
      while (!response.destroyed) {
        const event = next();
        if (!event) return void response.end();
        if (!response.write(line(event))) return void response.once('drain', write);
      }
    };
    write();
  };
}

const padded = (name: string, version: number, size: number): ConfigMap => ({
  ...configMap(name, String(version)),
  data: { x: 'x'.repeat(size) },
});

it.each([
  ['adds objects', (count: number, version: number) => added(padded(`new-${count}`, version, 1_000))],
  ['makes an object larger', (count: number, version: number) => modified(padded('a', version, count * 1_000))],
])(
  'S-10: a watch that endlessly %s ends at limits.list, and everything is listed again with backoff',
  async (_, change) => {
    let version = 10;
    let count = 0;
    const objects = () => {
      count = 0;
      return [padded('a', version, 100)];
    };
    const next = () => change((count += 1), (version += 1));
    const { warnings, mostObjects } = await minutesOf(flooding({ version: () => version, objects, next }), {
      limits: { list: LIMIT },
    });
    const relists = warnings.filter((warning) => warning.includes(OUTGROWN)).length;
    expect(relists).toBeGreaterThan(MINUTES);
    expect(relists).toBeLessThan(MINUTES * 5);
    // The limit, plus the events that were decoded together.
    expect(mostObjects).toBeLessThanOrEqual((LIMIT + 65_536) / 1_000);
  },
);

it.each([
  ['the limit is twice the list', 300, 0],
  ['the limit is just above the list', 900, 10],
])('S-10: objects that change often are served with few relists while %s', async (_, padding, relists) => {
  const names = Array.from({ length: 80 }, (__, index) => `object-${index}`);
  const state = new Map(names.map((name) => [name, padded(name, 10, padding)]));
  const last = 10 + 5_000;
  let version = 10;
  const { warnings, objects } = await minutesOf(
    flooding({
      version: () => version,
      objects: () => [...state.values()],
      next: () => {
        if (version === last) return undefined;
        const object = padded(names[version % names.length] ?? '', (version += 1), padding);
        state.set(object.metadata.name, object);
        return modified(object);
      },
    }),
    { limits: { list: LIMIT } },
  );
  expect(new Set(objects)).toEqual(new Set(state.values()));
  expect(warnings.filter((warning) => warning.includes(OUTGROWN)).length).toBeLessThanOrEqual(relists);
});
