import { describe, expect, it } from '@jest/globals';
import { createCache } from '../cache/create-cache.ts';
import { ConfigMap } from '../kinds/builtin.ts';
import { isShardMismatch } from '../shards/shard-mismatch-error.ts';
import { HASH_SPACE } from '../shards/shard-selector.ts';
import { LOW, uidsIn } from '../shards/shard.fixture.ts';
import { clientRespondingWith } from './respond-with.fixture.ts';

const [low = ''] = uidsIn('low', 1);
const [high = ''] = uidsIn('high', 1);
const items = [{ metadata: { name: 'a', uid: low } }, { metadata: { name: 'b', uid: high } }];
const shardSelector = { field: 'uid', ranges: LOW } as const;
const TEXT = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
const pathWith = (query: Readonly<Record<string, string>>): string =>
  `/api/v1/configmaps?${new URLSearchParams(query).toString()}`;

describe('option shardSelector', () => {
  it('SH-19: a list sends it, and drops what an older server returns in addition', async () => {
    const { client, requests } = clientRespondingWith({ body: { metadata: { resourceVersion: '1' }, items } });
    const { items: listed } = await client.list(ConfigMap, { shardSelector });
    expect(requests.at(-1)?.path).toBe(pathWith({ shardSelector: TEXT }));
    expect(listed.map(({ metadata }) => metadata.name)).toEqual(['a']);
  });

  it('SH-19: a list that the server selected by another selector fails', async () => {
    const selector = TEXT.replace('0x8', '0x4');
    const metadata = { resourceVersion: '1', shardInfo: { selector } };
    const { client } = clientRespondingWith({ body: { metadata, items } });
    const error: unknown = await client.list(ConfigMap, { shardSelector }).catch((thrown: unknown) => thrown);
    expect(isShardMismatch(error)).toBe(true);
    const echoed = clientRespondingWith({ body: { metadata: { ...metadata, shardInfo: { selector: TEXT } }, items } });
    expect((await echoed.client.list(ConfigMap, { shardSelector })).items).toHaveLength(1);
  });

  it('a watch sends it, and drops events of other objects', async () => {
    const events = items.map((object) => JSON.stringify({ type: 'ADDED', object }));
    const bookmark = JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '5' } } });
    const { client, requests } = clientRespondingWith({ body: [...events, bookmark, ''].join('\n') });
    const seen: string[] = [];
    const { signal } = new AbortController();
    for await (const event of client.watch(ConfigMap, { shardSelector, signal, allowWatchBookmarks: false })) {
      seen.push(event.type === 'ADDED' ? event.object.metadata.name : event.type);
    }
    expect(seen).toEqual(['a', 'BOOKMARK']);
    expect(requests.at(-1)?.path).toBe(pathWith({ watch: 'true', allowWatchBookmarks: 'false', shardSelector: TEXT }));
  });

  it('is not sent if it selects everything', async () => {
    const { client, requests } = clientRespondingWith({ body: { metadata: { resourceVersion: '1' }, items } });
    const everything = { field: 'uid', ranges: [{ start: 0n, end: HASH_SPACE }] } as const;
    expect((await client.list(ConfigMap, { shardSelector: everything })).items).toHaveLength(2);
    expect(requests.at(-1)?.path).toBe('/api/v1/configmaps');
  });

  it('is refused if it is invalid, by tables, and by a cache', async () => {
    const { client, requests } = clientRespondingWith({ body: { metadata: { resourceVersion: '1' }, items } });
    const invalid = { field: 'name', ranges: LOW } as unknown as typeof shardSelector;
    await expect(client.list(ConfigMap, { shardSelector: invalid })).rejects.toThrow('shardSelector.field');
    await expect(client.table(ConfigMap, { shardSelector } as object)).rejects.toThrow('shardSelector');
    const cache = createCache({ client });
    await expect(cache.list(ConfigMap, { shardSelector })).rejects.toThrow('pass a Shard to the cache');
    expect(requests).toHaveLength(0);
  });
});
