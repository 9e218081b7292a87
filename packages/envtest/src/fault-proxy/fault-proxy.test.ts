import { once } from 'node:events';
import { Agent, request as sendRequest } from 'node:https';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiClient, ClusterConfig } from '@mcr/client';
import { ConfigMap, createClient } from '@mcr/client';
import type { ControlPlane } from '../control-plane.ts';
import { createControlPlane } from '../create-control-plane.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../../../apiserver/src/raw-client.fixture.ts';
import type { FaultRule } from './fault-rule.ts';
import { createFaultProxy, type FaultProxy } from './fault-proxy.ts';

let controlPlane: ControlPlane;
let proxy: FaultProxy;
let client: ApiClient;
/** Goes straight to the server, to check its state. */
let direct: RawClient;
let raw: RawClient;

beforeAll(async () => {
  controlPlane = await createControlPlane({ bookmarkInterval: 50 });
});
afterAll(() => controlPlane.stop());

beforeEach(async () => {
  proxy = await createFaultProxy({ target: controlPlane.config });
  client = createClient(proxy.config);
  direct = new RawClient(controlPlane.config);
  raw = new RawClient(proxy.config);
  await direct.post(CONFIG_MAPS, configMap('a', { text: 'x'.repeat(1_000) }));
});
afterEach(async () => {
  raw[Symbol.dispose]();
  await client.close();
  await proxy.stop();
  await direct.delete(CONFIG_MAPS);
  for (const { metadata } of (await direct.get(CONFIG_MAPS)).body.items)
    await direct.delete(`${CONFIG_MAPS}/${metadata.name}`);
  direct[Symbol.dispose]();
});

const key = { namespace: 'default', name: 'a' };
const quietWatches = `${CONFIG_MAPS}?watch=true`;
const watches = `${quietWatches}&allowWatchBookmarks=true`;
const ADDED_A = expect.stringMatching(/^ADDED a@/);

async function elapsed(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

describe('a FaultProxy without rules', () => {
  it('forwards requests and watches over HTTP/2', async () => {
    expect((await client.get(ConfigMap, key)).data?.['text']).toHaveLength(1_000);
    const watch = await raw.watch(watches);
    expect(await watch.take(1)).toEqual([ADDED_A]);
    await client.patch(ConfigMap, key, { data: { text: 'y' } }, 'merge');
    expect(await watch.take(1)).toEqual([expect.stringMatching(/^(MODIFIED a|BOOKMARK undefined)@/)]);
    expect((await raw.get(`${CONFIG_MAPS}/none`)).body).toMatchObject({ code: 404, reason: 'NotFound' });
    expect((await raw.get('/api')).status).toBe(200);
  });

  it('forwards requests over HTTP/1.1', async () => {
    expect(await getByHttp1(proxy.config, `${CONFIG_MAPS}/a`)).toMatchObject({
      status: 200,
      body: { metadata: { name: 'a' } },
    });
  });

  it('adds no credentials: a client uses its own', async () => {
    const { auth: _, ...config } = proxy.config;
    using stranger = new RawClient(config);
    expect((await stranger.get(CONFIG_MAPS)).status).toBe(401);
  });

  it('resets a connection when the server resets its own', async () => {
    const watch = await raw.watch(watches);
    await watch.take(1);
    await controlPlane.cutConnections();
    direct = new RawClient(controlPlane.config);
    while (await watch.next());
    using again = new RawClient(proxy.config);
    expect((await again.get('/api')).status).toBe(200);
  });

  it('leaves no sockets or timers behind', async () => {
    const held = () =>
      process
        .getActiveResourcesInfo()
        .filter((each) => /TCP/.test(each))
        .sort();
    // Opens the connections of the other proxy first, so that they count as existing.
    await raw.get('/api');
    const before = held();
    const other = await createFaultProxy({ target: controlPlane.config });
    using stranger = new RawClient(other.config);
    const watch = await stranger.watch(watches);
    await watch.take(1);
    other.inject({ on: 'connections', fault: { type: 'stall' }, when: { for: 60_000 } });
    other.inject({ on: 'requests', fault: { type: 'delay', duration: 60_000 } });
    await other.stop();
    while (await watch.next());
    stranger[Symbol.dispose]();
    // A destroyed socket is listed until the operating system has closed it. On a busy machine that takes several
    // turns.
    const began = performance.now();
    while (held().length > before.length && performance.now() - began < 30_000) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(held().length).toBeLessThanOrEqual(before.length);
  });

  it.each<[string, unknown, RegExp]>([
    [
      'an unknown fault',
      { on: 'requests', fault: { type: 'explode' } },
      /option "fault.type": expected one of "pass", .*, found "explode"/,
    ],
    [
      'a request fault on connections',
      { on: 'connections', fault: { type: 'answer', status: 410 } },
      /option "fault.type": expected one of "refuse", .*, found "answer"/,
    ],
    ['an unknown option', { on: 'requests', fault: { type: 'repeat', count: 2 } }, /count/],
    ['an invalid response', { on: 'requests', fault: { type: 'answer', status: 200 } }, /400/],
  ])('refuses %s', (_, rule, message) => {
    expect(() => proxy.inject(rule as FaultRule)).toThrow(message);
  });

  it('refuses a target without TLS', async () => {
    await expect(createFaultProxy({ target: { server: 'http://127.0.0.1:1' } })).rejects.toThrow(
      'with an https server',
    );
  });
});

describe('connection faults', () => {
  const on = 'connections';

  it('refuse: resets new connections', async () => {
    await raw.get('/api');
    const { remove } = proxy.inject({ on, fault: { type: 'refuse' } });
    await expect(client.get(ConfigMap, key, { retry: 'never' })).rejects.toMatchObject({ code: 'reset' });
    expect((await raw.get('/api')).status).toBe(200);
    remove();
    await client.get(ConfigMap, key);
  });

  it('refuse-tls: fails the handshake', async () => {
    proxy.inject({ on, fault: { type: 'refuse-tls' } });
    await expect(client.get(ConfigMap, key)).rejects.toMatchObject({
      message: expect.stringContaining('alert handshake failure'),
    });
  });

  it('reset: resets open connections at once', async () => {
    const watch = await raw.watch(watches);
    await watch.take(1);
    const rule = proxy.inject({ on, fault: { type: 'reset' }, when: { times: 1 } });
    while (await watch.next());
    expect(rule.hits).toBe(1);
    await client.get(ConfigMap, key);
  });

  it('half-open: drops all bytes of open connections silently, and leaves new connections alone', async () => {
    const watch = await raw.watch(quietWatches);
    await watch.take(1);
    const { remove } = proxy.inject({ on, fault: { type: 'half-open' } });
    remove();
    const next = settling(watch.next());
    using other = new RawClient(proxy.config);
    const there = await other.watch(quietWatches);
    await there.take(1);
    for (let count = 0; count < 5; count++) await direct.patch(`${CONFIG_MAPS}/a`, { data: { count: String(count) } });
    await there.take(5);
    // A byte that passed there would also have passed here.
    expect(next.isSettled).toBe(false);
  });

  it('stall: forwards everything when it ends', async () => {
    await client.get(ConfigMap, key);
    const { remove } = proxy.inject({ on, fault: { type: 'stall' } });
    const answer = settling(client.get(ConfigMap, key));
    for (let count = 0; count < 5; count++) await direct.get('/api');
    expect(answer.isSettled).toBe(false);
    remove();
    expect((await answer.promise).metadata.name).toBe('a');
  });

  it('delay and throttle: slow a connection down', async () => {
    await client.get(ConfigMap, key);
    const delay = proxy.inject({ on, fault: { type: 'delay', duration: 50 } });
    expect(await elapsed(() => client.get(ConfigMap, key))).toBeGreaterThan(95);
    delay.remove();
    proxy.inject({ on, fault: { type: 'throttle', bytesPerSecond: 5_000 } });
    expect(await elapsed(() => client.get(ConfigMap, key))).toBeGreaterThan(150);
  });

  it('split: forwards all bytes in small packets', async () => {
    proxy.inject({ on, fault: { type: 'split', size: 1 } });
    expect((await client.get(ConfigMap, key)).data?.['text']).toHaveLength(1_000);
  });

  it.each(['corrupt', 'truncate', 'reset'] as const)('%s: a read fails only after the fault applies', async (type) => {
    await client.get(ConfigMap, key);
    const { remove } = proxy.inject({ on, fault: { type, after: 3_000 } });
    await client.get(ConfigMap, key);
    const failed = async () => {
      for (let count = 0; count < 10; count++) await client.get(ConfigMap, key, { retry: 'never' });
    };
    await expect(failed()).rejects.toMatchObject({ name: 'TransportError' });
    remove();
    await client.get(ConfigMap, key);
  });
});

describe('request faults', () => {
  const on = 'requests';

  it('answer: responds in place of the server, only to the matched requests', async () => {
    const rule = proxy.inject({
      on,
      match: { method: 'GET', path: /configmaps\/a/ },
      fault: { type: 'answer', status: 429, retryAfter: 7 },
    });
    const answer = await raw.get(`${CONFIG_MAPS}/a`);
    expect(answer.headers['retry-after']).toBe('7');
    expect(answer.body).toMatchObject({ kind: 'Status', code: 429, reason: 'TooManyRequests' });
    expect((await raw.get(CONFIG_MAPS)).status).toBe(200);
    expect((await raw.patch(`${CONFIG_MAPS}/a`, { data: { b: 'c' } })).status).toBe(200);
    expect(rule.hits).toBe(1);
  });

  it('applies to HTTP/1.1, too', async () => {
    proxy.inject({ on, fault: { type: 'answer', status: 503, retryAfter: 1 } });
    expect(await getByHttp1(proxy.config, CONFIG_MAPS)).toMatchObject({
      status: 503,
      body: { reason: 'ServiceUnavailable' },
    });
    proxy.heal();
    proxy.inject({ on, fault: { type: 'reset', part: 'response' } });
    await expect(getByHttp1(proxy.config, CONFIG_MAPS)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it.each(['request', 'response'] as const)('drop and reset: apply to the %s', async (part) => {
    const patience = new AbortController();
    const create = (name: string) =>
      client.create(ConfigMap, { metadata: { namespace: 'default', name } }, { signal: patience.signal });
    const statusOf = async (name: string) => (await direct.get(`${CONFIG_MAPS}/${name}`)).status;
    const status = part === 'request' ? 404 : 200;
    const reset = proxy.inject({ on, match: { method: 'POST' }, fault: { type: 'reset', part } });
    await expect(create('reset')).rejects.toMatchObject({ code: 'reset' });
    expect(await statusOf('reset')).toBe(status);
    reset.remove();
    const drop = proxy.inject({ on, match: { method: 'POST' }, fault: { type: 'drop', part } });
    const dropped = settling(create('dropped'));
    while (drop.hits === 0 || (await statusOf('dropped')) !== status) await new Promise(setImmediate);
    expect(dropped.isSettled).toBe(false);
    patience.abort(new Error('no response'));
    await expect(dropped.promise).rejects.toThrow('no response');
    expect(await statusOf('dropped')).toBe(status);
  });

  it('repeat: sends a write twice, and each event twice', async () => {
    const watch = await raw.watch(quietWatches);
    await watch.take(1);
    proxy.inject({ on, fault: { type: 'repeat' } });
    await expect(client.create(ConfigMap, { metadata: { ...key, name: 'b' } })).rejects.toMatchObject({
      reason: 'AlreadyExists',
    });
    const [first, second] = await watch.take(2);
    expect(first).toMatch(/^ADDED b@/);
    expect(second).toBe(first);
  });

  it('stale: repeats an earlier response', async () => {
    proxy.inject({ on, match: { path: 'configmaps/a' }, fault: { type: 'stale', ago: 1 } });
    const before = await client.get(ConfigMap, key);
    await client.patch(ConfigMap, key, { data: { text: 'new' } }, 'merge');
    expect(await client.get(ConfigMap, key)).toEqual(before);
    proxy.heal();
    expect((await client.get(ConfigMap, key)).data?.['text']).toBe('new');
  });

  it('swallow: removes all bookmarks of a watch, or only the one that ends the initial events', async () => {
    const initial = `${watches}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;
    const kinds = async (count: number) => {
      const watch = await raw.watch(initial);
      const events = await watch.take(count);
      watch.close();
      return events.map((event) => event.split(' ', 1).join(''));
    };
    expect(await kinds(3)).toEqual(['ADDED', 'BOOKMARK', 'BOOKMARK']);
    proxy.inject({ on, fault: { type: 'swallow', events: 'bookmarks' } });
    const watch = await raw.watch(initial);
    expect(await watch.take(1)).toEqual([ADDED_A]);
    const next = watch.next();
    await direct.patch(`${CONFIG_MAPS}/a`, { data: { c: 'd' } });
    expect(await next).toMatchObject({ type: 'MODIFIED' });
    proxy.heal();
    proxy.inject({ on, fault: { type: 'swallow', events: 'initial-events-end' } });
    const silent = await raw.watch(initial);
    await silent.take(1);
    expect((await silent.next())?.object.metadata.annotations).toBeUndefined();
  });

  it('error-event: ends a watch', async () => {
    const watch = await raw.watch(watches);
    await watch.take(1);
    proxy.inject({ on, match: { watch: true }, fault: { type: 'error-event', status: 410 } });
    // A bookmark may already have been sent.
    let last;
    for (let event = await watch.next(); event; event = await watch.next()) last = event;
    expect(last).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  });

  it('split, corrupt and truncate: apply to the body', async () => {
    const split = proxy.inject({ on, fault: { type: 'split', size: 1 } });
    expect((await client.get(ConfigMap, key)).data?.['text']).toHaveLength(1_000);
    split.remove();
    const corrupt = proxy.inject({ on, fault: { type: 'corrupt', after: 20 } });
    await expect(raw.get(`${CONFIG_MAPS}/a`)).rejects.toThrow(SyntaxError);
    corrupt.remove();
    proxy.inject({ on, fault: { type: 'truncate', after: 20 } });
    await expect(raw.get(`${CONFIG_MAPS}/a`)).rejects.toThrow(SyntaxError);
  });

  it('delay and throttle: apply to a request, and to each event', async () => {
    const delay = proxy.inject({ on, fault: { type: 'delay', duration: 80 } });
    expect(await elapsed(() => client.get(ConfigMap, key))).toBeGreaterThan(75);
    delay.remove();
    proxy.inject({ on, fault: { type: 'throttle', bytesPerSecond: 10_000 } });
    expect(await elapsed(() => client.get(ConfigMap, key))).toBeGreaterThan(95);
  });
});

describe('schedules', () => {
  const fault = { type: 'answer', status: 500 } as const;
  const answers = async (through: FaultProxy, count: number): Promise<string> => {
    using some = new RawClient(through.config);
    let text = '';
    for (let index = 0; index < count; index++) text += (await some.get('/api')).status === 500 ? '!' : '.';
    return text;
  };

  it('skip, every and times: select by position', async () => {
    proxy.inject({ on: 'requests', fault, when: { skip: 2, every: 3, times: 2 } });
    expect(await answers(proxy, 12)).toBe('..!..!......');
  });

  it('probability: selects by the seed', async () => {
    const play = async (seed: number) => {
      await using seeded = await createFaultProxy({ target: controlPlane.config, seed });
      seeded.inject({ on: 'requests', fault, when: { probability: 0.5 } });
      return await answers(seeded, 24);
    };
    const [first, again, other] = [await play(7), await play(7), await play(8)];
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(first).toMatch(/!/);
    expect(first).toMatch(/\./);
  });

  it('for: ends the rule after its time', async () => {
    await raw.get('/api');
    const stall = proxy.inject({ on: 'connections', fault: { type: 'stall' }, when: { for: 50 } });
    expect(stall.hits).toBe(1);
    expect((await raw.get('/api')).status).toBe(200);
  });
});

function settling<T>(promise: Promise<T>): { readonly promise: Promise<T>; readonly isSettled: boolean } {
  let isSettled = false;
  const settled = promise.finally(() => (isSettled = true));
  return {
    promise: settled,
    get isSettled() {
      return isSettled;
    },
  };
}

interface Http1Answer {
  readonly status: number | undefined;
  readonly body: unknown;
}

async function getByHttp1({ server, tls, auth }: ClusterConfig, path: string): Promise<Http1Answer> {
  const agent = new Agent({ ca: tls?.caData, ALPNProtocols: ['http/1.1'] });
  const token = auth?.type === 'token' ? auth.token : '';
  const request = sendRequest(new URL(path, server), { agent, headers: { authorization: `Bearer ${token}` } });
  request.end();
  const [response] = (await once(request, 'response')) as [AsyncIterable<Buffer> & { readonly statusCode?: number }];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) as unknown };
}
