import { describe, expect, it } from '@jest/globals';
import type { Client, ListOptions, WatchOptions } from '../client/client.ts';
import type { PackedReader } from '../client/packed-reader.ts';
import { ConfigMap } from '../kinds/builtin.ts';
import type { KubernetesList } from '../kinds/object.ts';
import { packObjects } from '../packed/pack-objects.ts';
import { unpacked } from '../packed/unpacked.fixture.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import { ApiError } from '../response/api-error.ts';
import { ShardSelection } from '../shards/shard-selection.ts';
import type { ShardSelector } from '../shards/shard-selector.ts';
import { HIGH, LOW, uidsIn } from '../shards/shard.fixture.ts';
import { clientListerWatcher } from './client-lister-watcher.ts';
import { CrdWatch } from './crd-watch.ts';
import { failureOf } from './failure.ts';
import { added, bookmark, configMap, deleted, packedItems } from './scripted-lister-watcher.fixture.ts';

const [low = ''] = uidsIn('low', 1);
const [high = ''] = uidsIn('high', 1);
const inside = configMap('inside', '1', low);
const outside = configMap('outside', '2', high);
const lowHalf = new ShardSelection({ field: 'uid', ranges: LOW });
const highHalf = new ShardSelection({ field: 'uid', ranges: HIGH });
const { signal } = new AbortController();

interface FakeServer {
  readonly shardInfo?: { selector: string };
  /** Thrown by each request with a shard selector. */
  readonly refusal?: ApiError;
}

/** Returns a lister-watcher of a server that returns all objects, and the selectors of its requests. */
function shardedListerWatcher({ shardInfo, refusal }: FakeServer) {
  const selectors: (ShardSelector | undefined)[] = [];
  const note = ({ shardSelector }: ListOptions | WatchOptions): void => {
    selectors.push(shardSelector);
    if (shardSelector && refusal) throw refusal;
  };
  const packed: PackedReader = {
    async *list(_kind, options): AsyncGenerator<PackedBatch, KubernetesList<unknown>['metadata'], undefined> {
      note(options);
      yield packObjects('listed', [inside, outside]);
      return { resourceVersion: '10', ...(shardInfo && { shardInfo }) };
    },
    async *watch(_kind, options) {
      note(options);
      yield packedItems([added(outside), added(inside), bookmark('11'), deleted(outside), deleted(inside)]);
    },
  };
  const client = { packed, onCredentials: () => () => undefined } as unknown as Client;
  const crdWatch = new CrdWatch({ client, restMapper: undefined });
  return { selectors, listerWatcher: clientListerWatcher(client, ConfigMap, {}, { crdWatch }) };
}

type Sharded = ReturnType<typeof shardedListerWatcher>;

async function listedBy({ listerWatcher }: Sharded, shard = lowHalf): Promise<readonly string[]> {
  const pages = listerWatcher.list({ signal, shard });
  const names: string[] = [];
  for await (const batch of pages) names.push(...unpacked(batch).map(({ fields }) => String(fields['name'])));
  return names;
}

const failureReason = (listing: Promise<unknown>): Promise<string> =>
  listing.then(
    () => 'none',
    (error: unknown) => failureOf(error).reason,
  );

describe('the lister-watcher of a shard', () => {
  it.each([
    ['ignores the selector', {}],
    ['echoes the selector and returns other objects', { shardInfo: { selector: lowHalf.text ?? '' } }],
  ])('SH-19: lists only the objects of the shard if the server %s', async (_, server) => {
    const sharded = shardedListerWatcher(server);
    expect(await listedBy(sharded)).toEqual(['inside']);
    expect(sharded.selectors).toEqual([{ field: 'uid', ranges: LOW }]);
  });

  it('SH-19: drops events of other objects from a watch, and keeps bookmarks', async () => {
    const { listerWatcher } = shardedListerWatcher({ shardInfo: { selector: lowHalf.text ?? '' } });
    const seen: string[] = [];
    for await (const items of listerWatcher.watch({ signal, shard: lowHalf, timeoutSeconds: 60 })) {
      for (const item of items) {
        if (item.type !== 'objects') seen.push(item.type);
        else seen.push(...unpacked(item.batch).map(({ type, fields }) => `${type} ${String(fields['name'])}`));
      }
    }
    expect(seen).toEqual(['ADDED inside', 'BOOKMARK', 'DELETED inside']);
  });

  it('SH-19: lists again without a selector after the server applied another one', async () => {
    const sharded = shardedListerWatcher({ shardInfo: { selector: highHalf.text ?? '' } });
    expect(await failureReason(listedBy(sharded))).toBe('unusable');
    expect(await listedBy(sharded)).toEqual(['inside']);
    expect(await failureReason(listedBy(sharded, highHalf))).toBe('none');
    expect(sharded.selectors).toEqual([lowHalf.selector, undefined, highHalf.selector]);
  });

  it.each([400, 414, 431])('SH-19: lists without a selector after the server refused it with %d', async (code) => {
    const sharded = shardedListerWatcher({ refusal: new ApiError({ code, message: 'invalid shard selector' }) });
    expect(await failureReason(listedBy(sharded))).not.toBe('none');
    expect(await listedBy(sharded)).toEqual(['inside']);
    expect(sharded.selectors).toEqual([lowHalf.selector, undefined]);
  });

  it('keeps the selector after another failure', async () => {
    const sharded = shardedListerWatcher({ refusal: new ApiError({ code: 503, message: 'busy' }) });
    for (let attempt = 0; attempt < 2; attempt += 1) expect(await failureReason(listedBy(sharded))).toBe('other');
    expect(sharded.selectors).toEqual([lowHalf.selector, lowHalf.selector]);
  });
});
