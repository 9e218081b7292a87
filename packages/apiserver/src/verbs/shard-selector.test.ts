import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ControlPlane } from '../control-plane.fixture.ts';
import { createControlPlane } from '../control-plane.fixture.ts';
import { configMap, RawClient, type Body } from '../raw-client.fixture.ts';

const LOW = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
const HIGH = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')";
const PATH = '/api/v1/namespaces/default/configmaps';
const COUNT = 24;

const query = (parameters: Readonly<Record<string, string>>): string =>
  `${PATH}?${new URLSearchParams(parameters).toString()}`;
const namesOf = ({ items }: Pick<Body, 'items'>): string[] => items.map(({ metadata }) => metadata.name);
const shardInfoOf = ({ metadata }: Body): unknown => (metadata as { readonly shardInfo?: unknown }).shardInfo;

describe('shardSelector', () => {
  let plane: ControlPlane;
  let client: RawClient;
  let all: string[];

  beforeAll(async () => {
    plane = await createControlPlane({ featureGates: { ShardedListAndWatch: true } });
    client = new RawClient(plane.config);
    for (let number = 0; number < COUNT; number += 1) await client.post(PATH, configMap(`map-${number}`));
    all = namesOf((await client.get(PATH)).body);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await plane.stop();
  });

  it('K-33: lists of ranges that cover the hashes have each object once, and name their selector', async () => {
    const low = (await client.get(query({ shardSelector: LOW }))).body;
    const high = (await client.get(query({ shardSelector: HIGH }))).body;
    expect([...namesOf(low), ...namesOf(high)].sort()).toEqual(all);
    expect([shardInfoOf(low), shardInfoOf(high)]).toEqual([{ selector: LOW }, { selector: HIGH }]);
    const both = (await client.get(query({ shardSelector: `${LOW} || ${HIGH}` }))).body;
    expect(namesOf(both)).toEqual(all);
    expect(shardInfoOf((await client.get(PATH)).body)).toBeUndefined();
  });

  it('K-33: pages have as many selected objects as the limit, name the selector, and do not count the rest', async () => {
    const whole = namesOf((await client.get(query({ shardSelector: LOW }))).body);
    const names: string[] = [];
    for (let token = '', pages = 0; pages === 0 || token !== ''; pages += 1) {
      const { body } = await client.get(query({ shardSelector: LOW, limit: '3', ...(token && { continue: token }) }));
      expect(shardInfoOf(body)).toEqual({ selector: LOW });
      expect(body.metadata.remainingItemCount).toBeUndefined();
      names.push(...namesOf(body));
      token = body.metadata.continue || '';
      if (token !== '') expect(body.items).toHaveLength(3);
    }
    expect(names).toEqual(whole);
  });

  it('K-33: a watch sends the initial objects and the events of its range, and bookmarks', async () => {
    const start = { watch: 'true', sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' };
    const watch = await client.watch(query({ ...start, allowWatchBookmarks: 'true', shardSelector: HIGH }));
    const high = namesOf((await client.get(query({ shardSelector: HIGH }))).body);
    const initial = await watch.take(high.length);
    expect(initial.map((text) => text.split('@')[0])).toEqual(high.map((name) => `ADDED ${name}`));
    expect((await watch.next())?.type).toBe('BOOKMARK');
    for (const name of all) await client.patch(`${PATH}/${name}`, { data: { changed: 'yes' } });
    const changes = await watch.take(high.length);
    expect(changes.map((text) => text.split('@')[0])).toEqual(
      high.map((name) => `MODIFIED ${name}`).sort(byCreation(all)),
    );
    watch.close();
  });

  it('K-33: an invalid selector gets 400 with the reason', async () => {
    for (const parameters of [{ shardSelector: 'uid' }, { shardSelector: 'uid', watch: 'true' }]) {
      const { status, body } = await client.get(query(parameters));
      expect([status, body.reason, body.message]).toEqual([
        400,
        'BadRequest',
        'invalid shard selector: unexpected expression kind 3; expected shardRange() call or || operator',
      ]);
    }
  });

  it('K-33: without the feature gate, which is the default, the parameter is ignored', async () => {
    await using other = await createControlPlane();
    using raw = new RawClient(other.config);
    await raw.post(PATH, configMap('only'));
    for (const shardSelector of [LOW, HIGH, 'invalid']) {
      const { body } = await raw.get(query({ shardSelector }));
      expect([namesOf(body).includes('only'), shardInfoOf(body)]).toEqual([true, undefined]);
    }
  });
});

/** Compares events of objects by the order in which these were changed. */
function byCreation(names: readonly string[]): (a: string, b: string) => number {
  const position = (event: string): number => names.indexOf(event.split(' ')[1] ?? '');
  return (a, b) => position(a) - position(b);
}
