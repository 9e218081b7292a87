import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { until } from '../until.ts';
import { Followed } from './followed.ts';

const watches = { on: 'requests', match: { watch: true } } as const;

let plane: ControlPlane;
beforeAll(async () => {
  plane = await createControlPlane();
});
afterAll(() => plane.stop());

async function synced(): Promise<Followed> {
  const followed = await Followed.start(plane);
  await followed.put('kept');
  await followed.until(() => followed.events.includes('+kept'));
  followed.events.length = 0;
  return followed;
}

describe('a cluster behind an unreliable network', () => {
  it('F-2: a list that is cut off repeatedly never shows partial content, and is complete once it succeeds', async () => {
    await using followed = await Followed.start(plane, {
      before: (proxy) => {
        // WatchLists are refused here, so the client lists in pages.
        proxy.inject({ on: 'requests', match: { path: 'sendInitialEvents' }, fault: { type: 'answer', status: 422 } });
        const fault = { type: 'reset', part: 'response', after: 300 } as const;
        proxy.inject({ on: 'requests', match: { watch: false }, fault, when: { times: 3 } });
      },
    });
    for (const name of ['a', 'b', 'c']) await followed.put(name, { text: 'x'.repeat(500) });
    const sizes = new Set<number>();
    await followed.until(() => {
      sizes.add(followed.informer.store.size);
      return followed.informer.hasSynced;
    });
    expect([...sizes].filter((size) => size !== 0)).toEqual([3]);
    await followed.until(() => followed.equalsServer());
  });

  it('F-3: a peer that disappears silently is noticed within 45 s, and the watch resumes from its last version', async () => {
    await using followed = await synced();
    const lists = followed.proxy.inject({
      on: 'requests',
      match: { path: 'sendInitialEvents' },
      fault: { type: 'pass' },
    });
    followed.proxy.inject({ on: 'connections', fault: { type: 'half-open' } }).remove();
    await followed.put('unheard');
    await followed.clock.advance(45_000);
    await until(() => followed.informer.lastError !== undefined);
    expect(followed.informer.lastError?.message).toContain('no answer to a ping');
    await followed.until(() => followed.events.length > 0);
    expect(followed.events).toEqual(['+unheard']);
    expect(lists.hits).toBe(0);
  });

  it('F-4: an open but silent watch is reported as stale after 90 s, and closed when the server should have ended it', async () => {
    await using followed = await synced();
    const { remove } = followed.proxy.inject({ ...watches, fault: { type: 'drop', part: 'response' } });
    await followed.put('unheard');
    expect(followed.informer.staleFor()).toBe(0);
    await followed.passes(95_000);
    expect(followed.informer.staleFor()).toBeGreaterThanOrEqual(90_000);
    remove();
    expect(await followed.equalsServer()).toBe(false);
    // The client requested at most 600 s, and the server has 30 s more.
    await followed.passes(545_000);
    await followed.until(() => followed.equalsServer());
    await followed.put('heard');
    await until(() => followed.events.length === 2);
    expect(followed.informer.staleFor()).toBe(0);
    expect(followed.events).toEqual(['+unheard', '+heard']);
  });

  it('F-4: initial events that never end are replaced by a list after half a minute', async () => {
    await using followed = await Followed.start(plane, {
      before: (proxy) => void proxy.inject({ ...watches, fault: { type: 'swallow', events: 'initial-events-end' } }),
    });
    await followed.put('a');
    await followed.passes(25_000);
    expect(followed.informer.hasSynced).toBe(false);
    await followed.passes(6_000);
    await followed.until(() => followed.informer.hasSynced);
    expect(followed.events).toEqual(['+a']);
  });

  it('F-5: a deletion during an outage with compaction is reported after it; until then the old objects are served', async () => {
    await using followed = await synced();
    await followed.put('gone');
    await followed.until(() => followed.events.includes('+gone'));
    followed.events.length = 0;
    const { remove } = followed.proxy.inject({ on: 'connections', fault: { type: 'refuse' } });
    followed.proxy.inject({ on: 'connections', fault: { type: 'reset' } }).remove();
    await followed.until(() => followed.informer.lastError !== undefined);
    await followed.delete('gone');
    await followed.put('new');
    await plane.compact();
    await followed.passesUnheard(60_000);
    expect(followed.informer.store.size).toBe(2);
    expect(followed.informer.staleFor()).toBeGreaterThanOrEqual(60_000);
    remove();
    await followed.until(() => followed.equalsServer());
    expect([...followed.events].sort()).toEqual(['+new', '-gone?']);
    expect(followed.log.messages('info')).toContain('list and watch recovered');
  });

  it('F-8: a version that is too large for the server causes a list without a version', async () => {
    await using followed = await synced();
    const rule = followed.proxy.inject({
      ...watches,
      fault: { type: 'answer', status: 504, cause: 'ResourceVersionTooLarge' },
      when: { times: 2 },
    });
    await plane.endWatches();
    await followed.put('after');
    await followed.until(() => followed.events.includes('+after'));
    expect(rule.hits).toBeGreaterThan(0);
    expect(followed.events).toEqual(['+after']);
  });

  it('F-9: a server that was restored from a backup is noticed, and the store follows it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'mcr-restore-'));
    try {
      const [live, backup] = [join(directory, 'live'), join(directory, 'backup')];
      await using restored = await createControlPlane({ dataDir: live, bookmarkInterval: 100 });
      await using followed = await Followed.start(restored);
      await followed.put('before');
      await cp(live, backup, { recursive: true });
      for (let count = 0; count < 5; count++) await followed.put(`after-${count}`);
      await followed.until(() => followed.events.length === 6);
      await restored.kill();
      await cp(backup, live, { recursive: true, force: true });
      await restored.restart();
      await followed.until(() => followed.equalsServer());
      expect(followed.informer.store.list().map(({ metadata }) => metadata.name)).toEqual(['before']);
      expect(followed.events.filter((text) => text.startsWith('-'))).toHaveLength(5);
      expect(followed.log.messages('warn').join()).toMatch(/went back|restored/);
      await followed.put('later');
      await followed.until(() => followed.events.includes('+later'));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('F-10: an object that was deleted and recreated unseen is reported as deleted and added', async () => {
    await using followed = await synced();
    const { remove } = followed.proxy.inject({ on: 'connections', fault: { type: 'refuse' } });
    followed.proxy.inject({ on: 'connections', fault: { type: 'reset' } }).remove();
    await followed.until(() => followed.informer.lastError !== undefined);
    await followed.delete('kept');
    await followed.put('kept');
    await plane.compact();
    remove();
    await followed.until(() => followed.equalsServer());
    expect(followed.events).toEqual(['-kept?', '+kept']);
  });

  it('F-11: events that arrive byte by byte, and objects of 1 MB in small frames, are unchanged', async () => {
    await using followed = await synced();
    const bytes = followed.proxy.inject({ on: 'requests', fault: { type: 'split', size: 1 } });
    await followed.put('small', { text: 'ä€😀' });
    await followed.until(() => followed.equalsServer());
    bytes.remove();
    followed.proxy.inject({ on: 'requests', fault: { type: 'split', size: 1_000 } });
    const blob = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'blob', namespace: 'default' } };
    await plane.seed({ ...blob, data: { text: 'x'.repeat(1024 * 1024) } } as typeof blob, 1);
    await until(() => followed.events.includes('+blob-0'));
    expect(followed.informer.store.get({ namespace: 'default', name: 'blob-0' })?.data?.['text']).toHaveLength(
      1024 * 1024,
    );
    expect(followed.log.messages('warn')).toEqual([]);
  });

  it('F-11: an event that is not JSON is one clear error, and the watch resumes', async () => {
    await using followed = await synced();
    followed.proxy.inject({ ...watches, fault: { type: 'corrupt', after: 30 } });
    await followed.put('a');
    await until(() => followed.informer.lastError !== undefined);
    expect(followed.informer.lastError?.message).toMatch(/^a watch line of \d+ characters near byte \d+ is not JSON$/);
    followed.proxy.heal();
    await followed.until(() => followed.equalsServer());
    expect(followed.events).toEqual(['+a']);
    expect(followed.log.messages('warn')).toEqual(['list or watch failed']);
  });

  it.each([
    [500, 'resumes', 0],
    [410, 'lists again', 1],
  ])('F-11: an ERROR event of %d within a watch %s', async (status, _, lists) => {
    await using followed = await synced();
    const initial = followed.proxy.inject({
      on: 'requests',
      match: { path: 'sendInitialEvents' },
      fault: { type: 'pass' },
    });
    followed.proxy.inject({ ...watches, fault: { type: 'error-event', status }, when: { times: 1 } });
    await followed.put('a');
    await followed.until(() => followed.equalsServer());
    expect(followed.events).toEqual(['+a']);
    expect(initial.hits).toBe(lists);
  });
});
