import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CustomResourceDefinition, WholeWidget, Widget, widgetDefinition } from '@mcr/bench/widget';
import { Namespace } from '@mcr/core';
import type { ControlPlane } from '@mcr/envtest';
import { createControlPlane } from '@mcr/envtest';
import { until } from '../until.ts';
import { Followed } from './followed.ts';

/** An outage of less than a minute, and the maximum time from the server's first response to a current cache. */
const SHORT = { outage: 30_000, limit: 2_000 };
/** An outage that HTTP/2 pings detect after 45 s. */
const HALF_OPEN = { outage: 55_000, limit: 2_000 };
/** An outage of more than a minute. */
const LONG = { outage: 180_000, limit: 10_000 };

describe('a watched cluster during an outage', () => {
  let folder: string;
  let plane: ControlPlane;
  let rooms = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mcr-recovery-'));
    plane = await createControlPlane({ dataDir: join(folder, 'data') });
  });
  afterAll(async () => {
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function synced(): Promise<Followed> {
    const followed = await Followed.start(plane);
    await followed.put('kept');
    await followed.until(() => followed.events.includes('+kept'));
    followed.events.length = 0;
    return followed;
  }

  /** Changes another object, so that the watched version is not the server's latest. */
  async function moveOn({ direct }: Followed): Promise<void> {
    await direct.create(Namespace, { metadata: { name: `room-${++rooms}` } });
  }

  it.each([SHORT, LONG])(
    'F-22, P-18: is current within $limit ms after its API server was away for $outage ms and has a new watch cache',
    async ({ outage, limit }) => {
      await using followed = await synced();
      await moveOn(followed);
      await plane.kill();
      await until(() => followed.informer.lastError !== undefined);
      await followed.passesUnheard(outage);
      await plane.restart();
      await followed.put('while-away');
      await followed.within(limit, () => followed.events.includes('+while-away'));
      expect(await followed.equalsServer()).toBe(true);
      expect(followed.log.messages('warn')).toEqual(['list or watch failed']);
    },
  );

  it.each([SHORT, LONG])(
    'F-22: is current within $limit ms after it was cut off for $outage ms and its history was compacted',
    async ({ outage, limit }) => {
      await using followed = await synced();
      const { remove } = followed.proxy.inject({ on: 'connections', fault: { type: 'refuse' } });
      followed.proxy.inject({ on: 'connections', fault: { type: 'reset' } }).remove();
      await until(() => followed.informer.lastError !== undefined);
      await followed.delete('kept');
      await followed.put('while-away');
      await plane.compact();
      await followed.passesUnheard(outage);
      remove();
      await followed.within(limit, () => followed.events.length === 2);
      expect(followed.events.toSorted()).toEqual(['+while-away', '-kept?']);
    },
  );

  it.each([HALF_OPEN, LONG])(
    'F-3, F-22: is current within $limit ms after its connections were half-open for $outage ms',
    async ({ outage, limit }) => {
      await using followed = await synced();
      const { remove } = followed.proxy.inject({ on: 'connections', fault: { type: 'half-open' } });
      await followed.put('while-away');
      await followed.passesUnheard(45_000);
      await until(() => followed.informer.lastError !== undefined);
      await followed.passesUnheard(outage - 45_000);
      remove();
      await followed.within(limit, () => followed.events.includes('+while-away'));
      expect(await followed.equalsServer()).toBe(true);
      expect(followed.log.messages('warn')).toEqual(['list or watch failed']);
    },
  );

  it('F-22: is current as soon as its credentials are rotated, however long ago the previous ones were revoked', async () => {
    await using followed = await synced();
    const rotate = async (): Promise<Pick<ControlPlane, 'config'>> => {
      const issued = await plane.issueToken();
      const { auth } = issued.config;
      await followed.cluster.rotate({ ...followed.proxy.config, ...(auth && { auth }) });
      return issued;
    };
    const issued = await rotate();
    await plane.revokeToken(issued);
    followed.proxy.inject({ on: 'connections', fault: { type: 'reset' } }).remove();
    await followed.until(() => /401|Unauthorized/.test(followed.informer.lastError?.message ?? ''));
    await followed.put('while-refused');
    await plane.compact();
    for (let seconds = 0; seconds < 300; seconds += 5) {
      await followed.clock.advance(5_000);
      await followed.direct.list(Namespace, { limit: 1 });
    }
    await rotate();
    await followed.within(0, () => followed.events.includes('+while-refused'));
  });

  it('F-22: watches a kind within 2 s after its definition is installed, also after a reinstallation', async () => {
    await using followed = await Followed.start(plane);
    const informer = await followed.cluster.cache.informer(Widget);
    for (let installation = 0; installation < 2; installation++) {
      await followed.until(() => informer.lastError !== undefined);
      await followed.passes(120_000);
      await followed.direct.create(CustomResourceDefinition, widgetDefinition);
      await until(async () => {
        const widgets = await followed.direct.list(WholeWidget).catch(() => undefined);
        return widgets !== undefined;
      });
      await followed.direct.create(WholeWidget, { metadata: { namespace: 'default', name: `w-${installation}` } });
      const named = () => informer.store.list().map(({ metadata }) => metadata.name);
      await followed.within(2_000, () => named().includes(`w-${installation}`));
      expect(named()).toEqual([`w-${installation}`]);
      await followed.direct.delete(CustomResourceDefinition, widgetDefinition.metadata);
    }
  });
});
