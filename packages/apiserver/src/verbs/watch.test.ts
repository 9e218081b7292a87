import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import type { RawWatch, WatchedEvent } from '../raw-client.fixture.ts';
import { configMap, RawClient } from '../raw-client.fixture.ts';

describe('watch', () => {
  let plane: ControlPlane;
  let client: RawClient;

  beforeAll(async () => {
    plane = await createControlPlane({ bookmarkInterval: 50, historyLimit: 500 });
    client = new RawClient(plane.config);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  async function room(name: string): Promise<string> {
    await client.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return `/api/v1/namespaces/${name}/configmaps`;
  }

  const create = async (path: string, name: string, metadata: object = {}): Promise<number> => {
    const { body } = await client.post(path, configMap(name, {}, metadata));
    return Number(body.metadata.resourceVersion);
  };

  it('K-5: without a version, starts with an ADDED event for each existing object, then follows', async () => {
    const path = await room('start');
    const a = await create(path, 'a');
    const b = await create(path, 'b');
    for (const query of ['', '&resourceVersion=0']) {
      const watch = await client.watch(`${path}?watch=true${query}`);
      expect(await watch.take(2)).toEqual([`ADDED a@${a}`, `ADDED b@${b}`]);
      watch.close();
    }
    const watch = await client.watch(`${path}?watch=1`);
    await watch.take(2);
    const c = await create(path, 'c');
    expect(await watch.take(1)).toEqual([`ADDED c@${c}`]);
    watch.close();
  });

  it('K-5: with a version, starts directly after it', async () => {
    const path = await room('exactly');
    const a = await create(path, 'a');
    const b = await create(path, 'b');
    const { body } = await client.patch(`${path}/a`, { data: { x: '1' } });
    const watch = await client.watch(`${path}?watch=true&resourceVersion=${a}`);
    expect(await watch.take(2)).toEqual([`ADDED b@${b}`, `MODIFIED a@${body.metadata.resourceVersion}`]);
    watch.close();
  });

  it('K-5: a version older than the history is an ERROR event with 410', async () => {
    const path = await room('too-old');
    const a = await create(path, 'a');
    await create(path, 'b');
    await plane.compact();
    const watch = await client.watch(`${path}?watch=true&resourceVersion=${a}`);
    expect(watch.status).toBe(200);
    expect(await watch.next()).toMatchObject({
      type: 'ERROR',
      object: {
        kind: 'Status',
        code: 410,
        reason: 'Expired',
        message: expect.stringContaining('too old resource version'),
      },
    });
    expect(await watch.next()).toBeUndefined();
  });

  it('K-5: the history of a resource is bounded', async () => {
    const path = await room('bounded');
    const a = await create(path, 'a');
    await plane.seed({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'many', namespace: 'bounded' } }, 500);
    const within = await client.watch(`${path}?watch=true&resourceVersion=${a}`);
    expect(await within.take(1)).toEqual([`ADDED many-0@${a + 1}`]);
    within.close();
    const beyond = await client.watch(`${path}?watch=true&resourceVersion=${a - 1}`);
    expect((await beyond.next())?.object.code).toBe(410);
  });

  it('K-6: every watcher sees the same order without gaps, from any version seen', async () => {
    const path = await room('order');
    const start = await create(path, 'first');
    const live = await client.watch(`${path}?watch=true&resourceVersion=${start}`);
    const writes: Promise<unknown>[] = [];
    for (let index = 0; index < 40; index++) {
      writes.push(client.post(path, configMap(`c${index}`)));
      writes.push(client.patch(`${path}/first`, { data: { at: String(index) } }));
    }
    await Promise.all(writes);
    const seen = await live.take(80);
    const versions = seen.map((text) => Number(text.split('@')[1]));
    expect(versions).toEqual(Array.from({ length: 80 }, (_, index) => start + 1 + index));
    for (const from of [0, 17, 79]) {
      const resumed = await client.watch(`${path}?watch=true&resourceVersion=${start + from}`);
      expect(await resumed.take(80 - from)).toEqual(seen.slice(from));
      resumed.close();
    }
    live.close();
  });

  it('K-6: an object that stops matching is sent as DELETED, one that starts matching as ADDED', async () => {
    const path = await room('selection');
    await create(path, 'a', { labels: { app: 'x' } });
    const watch = await client.watch(`${path}?watch=true&labelSelector=app%3Dx`);
    await watch.take(1);
    const left = (await client.patch(`${path}/a`, { metadata: { labels: { app: 'y' } }, data: { gone: 'yes' } })).body;
    await client.patch(`${path}/a`, { data: { unseen: 'yes' } });
    const back = (await client.patch(`${path}/a`, { metadata: { labels: { app: 'x' } } })).body;
    await client.delete(`${path}/a`);
    const deleted = await watch.next();
    expect(deleted).toMatchObject({ type: 'DELETED', object: { metadata: { labels: { app: 'x' } } } });
    expect(deleted?.object.metadata.resourceVersion).toBe(left.metadata.resourceVersion);
    expect(await watch.take(2)).toEqual([
      `ADDED a@${back.metadata.resourceVersion}`,
      `DELETED a@${Number(back.metadata.resourceVersion) + 1}`,
    ]);
    watch.close();
  });

  it('K-6: the events of a watch, across any number of resumptions, add up to the result of a list', async () => {
    const path = await room('oracle');
    const query = 'labelSelector=app%3Dx';
    const choose = randomChoices(20_261_121);
    const randomWrite = (): Promise<unknown> => {
      const name = `c${choose(5)}`;
      const metadata = { labels: { app: choose(2) === 0 ? 'x' : 'y' } };
      switch (choose(3)) {
        case 0:
          return client.post(path, configMap(name, {}, metadata));
        case 1:
          return client.patch(`${path}/${name}`, { metadata, data: { pick: String(choose(10)) } });
        default:
          return client.delete(`${path}/${name}`);
      }
    };
    const seen = new Map<string, string>();
    let version = String(await create(path, 'start'));
    for (let round = 0; round < 20; round++) {
      const writes = Array.from({ length: 10 }, randomWrite);
      const watch = await client.watch(`${path}?watch=true&resourceVersion=${version}&${query}`);
      await Promise.all(writes);
      const end = await create(path, `end-${round}`, { labels: { app: 'x' } });
      for (let at = 0; at < end;) {
        const event = await watch.next();
        const { name, resourceVersion } = event?.object.metadata ?? { name: '', resourceVersion: '' };
        expect(Number(resourceVersion)).toBeGreaterThan(Number(version));
        expect(seen.has(name)).toBe(event?.type !== 'ADDED');
        if (event?.type === 'DELETED') seen.delete(name);
        else seen.set(name, resourceVersion);
        version = resourceVersion;
        at = Number(resourceVersion);
      }
      watch.close();
      const { body } = await client.get(`${path}?${query}`);
      const listed = body.items.map(({ metadata }) => [metadata.name, metadata.resourceVersion] as const);
      expect(new Map([...seen].sort())).toEqual(new Map([...listed].sort()));
    }
  });

  it('K-6: a watch of a namespace sends only its objects, a field selector only the selected object', async () => {
    const path = await room('mine');
    const other = await room('other');
    const namespaced = await client.watch(`${path}?watch=true`);
    const single = await client.watch('/api/v1/configmaps?watch=true&fieldSelector=metadata.name%3Dwanted');
    await create(other, 'elsewhere');
    const wanted = await create(other, 'wanted');
    const here = await create(path, 'here');
    expect(await namespaced.take(1)).toEqual([`ADDED here@${here}`]);
    expect(await single.take(1)).toEqual([`ADDED wanted@${wanted}`]);
    namespaced.close();
    single.close();
  });

  it('K-7: sends bookmarks to clients that allow them, and ends at the timeout', async () => {
    const path = await room('bookmarks');
    const a = await create(path, 'a');
    const watch = await client.watch(`${path}?watch=true&allowWatchBookmarks=true&resourceVersion=${a}`);
    const silent = await client.watch(`${path}?watch=true&timeoutSeconds=1&resourceVersion=${a}`);
    const elsewhere = await create(await room('busy'), 'x');
    let at = 0;
    while (at < elsewhere) {
      const bookmark = await watch.next();
      expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1' } });
      at = Number(bookmark?.object.metadata.resourceVersion);
    }
    expect(at).toBe(elsewhere);
    expect(await watch.take(2)).toEqual(Array(2).fill(`BOOKMARK undefined@${elsewhere}`));
    watch.close();
    expect(await drain(silent)).toEqual([]);
  });

  it('K-8: sends the initial events, then a bookmark that ends them, then changes', async () => {
    const path = await room('initial');
    const a = await create(path, 'a');
    const b = await create(path, 'b');
    const watch = await client.watch(
      `${path}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    expect(await watch.take(2)).toEqual([`ADDED a@${a}`, `ADDED b@${b}`]);
    expect(await watch.next()).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: String(b), annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
    const c = await create(path, 'c');
    const next = await firstOtherThanBookmark(watch);
    expect(next?.object.metadata.resourceVersion).toBe(String(c));
    watch.close();
  });

  it('K-8: starts now if the initial events are not wanted and no version is given', async () => {
    const path = await room('now');
    await create(path, 'before');
    const watch = await client.watch(
      `${path}?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    const after = await create(path, 'after');
    expect((await firstOtherThanBookmark(watch))?.object.metadata.resourceVersion).toBe(String(after));
    watch.close();
  });

  it('K-7: ends at once if the timeout is negative', async () => {
    const path = await room('negative');
    await create(path, 'a');
    const { status, text } = await client.get(`${path}?watch=true&timeoutSeconds=-5`);
    expect([status, text]).toEqual([200, '']);
  });

  it('K-8: requires resourceVersionMatch=NotOlderThan, and ends the initial events only with bookmarks', async () => {
    const path = await room('needs');
    const refused = await client.get(`${path}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true`);
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ reason: 'Invalid', details: { causes: [{ field: 'resourceVersionMatch' }] } });
    const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1';
    const plain = await client.get(`${path}?watch=true&${initial}`);
    expect([plain.status, plain.text]).toEqual([200, '']);
    const accept = 'application/json;as=Table;v=v1beta1;g=meta.k8s.io';
    const table = await client.watch(`${path}?watch=true&allowWatchBookmarks=true&${initial}`, { accept });
    expect(await table.next()).toMatchObject({
      type: 'BOOKMARK',
      object: {
        apiVersion: 'meta.k8s.io/v1beta1',
        columnDefinitions: [{ name: 'Name' }, { name: 'Data' }, { name: 'Age' }],
        rows: [
          {
            cells: ['', 0, '<unknown>'],
            object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
          },
        ],
      },
    });
    expect((await client.get(`${path}?watch=true&continue=x`)).status).toBe(422);
    expect((await client.get(`${path}?watch=true&resourceVersion=x`)).status).toBe(500);
    expect((await client.get(`${path}?watch=true&resourceVersionMatch=NotOlderThan`)).status).toBe(422);
  });

  it('K-9: sends an object of more than a megabyte as one line', async () => {
    const path = await room('large');
    const watch = await client.watch(`${path}?watch=true`);
    const text = 'x'.repeat(1_040_000);
    await client.post(path, configMap('large', { text }));
    const event = await watch.next();
    expect(event?.object.data['text']).toBe(text);
    watch.close();
  });

  it('ends the watch of a client that falls behind the history', async () => {
    const path = await room('slow');
    const text = 'x'.repeat(200_000);
    const start = await create(path, 'pad');
    const watch = await client.watch(`${path}?watch=true&resourceVersion=${start}`);
    watch.pause();
    const loads = Array.from({ length: 20 }, (_, index) => client.post(path, configMap(`c${index}`, { text })));
    await Promise.all(loads);
    await plane.seed({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'many', namespace: 'slow' } }, 600);
    watch.resume();
    const events = await drain(watch);
    expect(events.at(-1)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  });

  it('ends watches and resets connections on demand', async () => {
    const path = await room('cut');
    const watch = await client.watch(`${path}?watch=true`);
    await plane.endWatches();
    expect(await watch.next()).toBeUndefined();
    using other = new RawClient(plane.config);
    const cut = await other.watch(`${path}?watch=true`);
    await plane.cutConnections();
    expect(await cut.next()).toBeUndefined();
    client = new RawClient(plane.config);
    expect((await client.get(path)).status).toBe(200);
  });
});

/** Returns a generator of integers in `0 … below - 1`, determined by the seed (a linear congruential generator). */
function randomChoices(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function drain(watch: RawWatch): Promise<WatchedEvent[]> {
  const events: WatchedEvent[] = [];
  for (let event = await watch.next(); event !== undefined; event = await watch.next()) events.push(event);
  return events;
}

async function firstOtherThanBookmark(watch: RawWatch): Promise<WatchedEvent | undefined> {
  for (;;) {
    const event = await watch.next();
    if (event?.type !== 'BOOKMARK') return event;
  }
}
