import { describe, expect, it } from '@jest/globals';
import type { KubernetesObject } from '@mcr/client';
import { decodedObject } from '@mcr/client';
import { FleetFeed } from './fleet-feed.ts';

const object = (name: string, resourceVersion = '1') =>
  decodedObject<KubernetesObject>({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'shop', name, uid: name, creationTimestamp: '', resourceVersion },
  });

/** Reads everything that waits in the feed. */
async function read(feed: FleetFeed<KubernetesObject>): Promise<string[]> {
  const end = new AbortController();
  const texts: string[] = [];
  const events = feed.read(end.signal);
  for (;;) {
    const next = events.next();
    const isIdle = await Promise.race([next.then(() => false), severalTurns().then(() => true)]);
    if (isIdle) end.abort();
    const { done, value: event } = await next;
    if (done) return texts;
    const of = 'object' in event ? `/${event.object.key.name}@${event.object.metadata.resourceVersion}` : '';
    texts.push(`${event.type} ${event.clusterName}${of}`);
  }
}

/** The feed pauses for one turn of the event loop after a while. */
async function severalTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('FleetFeed', () => {
  it('FP-5: keeps only the latest state of each object', async () => {
    const feed = new FleetFeed();
    for (let version = 1; version <= 1_000; version += 1) feed.push('changed', 'eu-1', object('a', String(version)));
    feed.push('changed', 'eu-1', object('b'));
    feed.push('deleted', 'eu-1', object('b', '2'));
    feed.synced('eu-1');
    expect(await read(feed)).toEqual(['changed eu-1/a@1000', 'deleted eu-1/b@2', 'synced eu-1']);
  });

  it('FP-5: keeps nothing of objects that were added and deleted before they were read', async () => {
    const feed = new FleetFeed();
    feed.push('changed', 'eu-1', object('seen'));
    feed.push('deleted', 'eu-1', object('seen', '2'));
    feed.push('added', 'eu-1', object('seen', '3'));
    for (let index = 0; index < 1_000; index += 1) {
      const name = `job-${index}`;
      feed.push('added', 'eu-1', object(name));
      feed.push('changed', 'eu-1', object(name, '2'));
      feed.push('deleted', 'eu-1', object(name, '3'));
    }
    expect(await read(feed)).toEqual(['changed eu-1/seen@3']);
    feed.push('added', 'eu-2', object('a'));
    feed.push('deleted', 'eu-2', object('a'));
    expect(await read(feed)).toEqual([]);
  });

  it('FP-5: gives clusters turns', async () => {
    const feed = new FleetFeed();
    for (const name of ['a', 'b', 'c']) feed.push('changed', 'busy', object(name));
    feed.push('changed', 'quiet', object('z'));
    expect(await read(feed)).toEqual(['changed busy/a@1', 'changed quiet/z@1', 'changed busy/b@1', 'changed busy/c@1']);
  });

  it('FP-5: drops the events of a cluster that left before they were read', async () => {
    const feed = new FleetFeed();
    feed.push('changed', 'eu-1', object('a'));
    feed.reset('eu-1');
    expect(await read(feed)).toEqual([]);
  });

  it('FP-5: reports the reset of a cluster before the events of its next engagement', async () => {
    const feed = new FleetFeed();
    feed.push('changed', 'eu-1', object('a'));
    const end = new AbortController();
    const events = feed.read(end.signal);
    await events.next();
    feed.push('changed', 'eu-1', object('b'));
    feed.reset('eu-1');
    feed.push('changed', 'eu-1', object('c'));
    const next = [await events.next(), await events.next()].map(({ value }) => value?.type);
    expect(next).toEqual(['reset', 'changed']);
    end.abort();
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });
});
