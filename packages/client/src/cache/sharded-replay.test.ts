import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { ConfigMap } from '../kinds/builtin.ts';
import type { DeepReadonly, KubernetesList, ObjectMeta } from '../kinds/object.ts';
import { silentLogger } from '../log/logger.ts';
import type { PackedBatch } from '../packed/packed-batch.ts';
import { InMemoryServer } from '../reflector/in-memory-server.fixture.ts';
import { ListSlots } from '../reflector/list-slots.ts';
import type { ListRequest, WatchRequest } from '../reflector/lister-watcher.ts';
import { fnv1a64 } from '../shards/fnv1a64.ts';
import { HASH_SPACE, type HashRange } from '../shards/shard-selector.ts';
import { Shard } from '../shards/shard.ts';
import type { InformerHandler, LazyObject } from './informer.ts';
import { SharedInformer } from './shared-informer.ts';

fc.configureGlobal({ seed: 1 });

type Action =
  | { readonly type: 'put' | 'delete'; readonly name: string }
  | { readonly type: 'bookmark' | 'endStreams' | 'breakStreams' | 'compact' }
  | { readonly type: 'wait'; readonly duration: number }
  /** Bit `n` selects quarter `n`. */
  | { readonly type: 'reshard'; readonly quarters: number };

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('put' as const), name }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('delete' as const), name }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('wait' as const), duration: fc.constantFrom(0, 50, 150, 900, 5_000) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('reshard' as const), quarters: fc.integer({ min: 0, max: 15 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom('bookmark', 'endStreams', 'breakStreams', 'compact') }),
  },
);

/** Ends of the quarters of the uids that the server assigns, which have similar hashes. */
const hashes = Array.from({ length: 40 }, (_, index) => fnv1a64(`uid-${index + 1}`)).sort((a, b) => (a < b ? -1 : 1));
const ENDS: readonly bigint[] = [hashes[10] ?? 0n, hashes[20] ?? 0n, hashes[30] ?? 0n, HASH_SPACE];

function rangesOf(quarters: number): HashRange[] {
  return ENDS.map((end, quarter) => ({ start: ENDS[quarter - 1] ?? 0n, end })).filter(
    (_, quarter) => (quarters & (1 << quarter)) !== 0,
  );
}

/** Yields only the objects of the shard of each request. */
class ShardedServer extends InMemoryServer {
  override async *list(
    request: ListRequest,
  ): AsyncGenerator<PackedBatch, KubernetesList<unknown>['metadata'], undefined> {
    const batches = super.list(request);
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) yield request.shard?.keep(next.value) ?? next.value;
    return next.value;
  }

  override async *watch(request: WatchRequest): ReturnType<InMemoryServer['watch']> {
    for await (const items of super.watch(request)) {
      yield items.map((item) =>
        item.type === 'objects' ? { ...item, batch: request.shard?.keep(item.batch) ?? item.batch } : item,
      );
    }
  }
}

/** Builds its own view of the objects from the calls alone, and notes the calls that do not match it. */
class Replay implements InformerHandler<ConfigMap> {
  readonly view = new Map<string, DeepReadonly<ObjectMeta>>();
  readonly complaints: string[] = [];
  readonly #server: InMemoryServer;

  constructor(server: InMemoryServer) {
    this.#server = server;
  }

  onAdd({ metadata }: LazyObject<ConfigMap>): void {
    this.#note(this.view.has(metadata.name), 'added twice');
    this.view.set(metadata.name, metadata);
  }

  onUpdate({ metadata }: LazyObject<ConfigMap>): void {
    this.#note(this.view.get(metadata.name)?.uid !== metadata.uid, 'updated unseen');
    this.view.set(metadata.name, metadata);
  }

  onDelete({ metadata: { name, uid } }: LazyObject<ConfigMap>): void {
    this.#note(this.view.get(name)?.uid !== uid, 'deleted unseen');
    this.#note(
      this.#server.objects.some(({ metadata }) => metadata.uid === uid),
      'deleted, but exists',
    );
    this.view.delete(name);
  }

  onLeave({ metadata: { name, uid } }: LazyObject<ConfigMap>): void {
    this.#note(this.view.get(name)?.uid !== uid, 'left unseen');
    this.view.delete(name);
  }

  #note(isWrong: boolean, complaint: string): void {
    if (isWrong) this.complaints.push(complaint);
  }
}

function versions(objects: Iterable<DeepReadonly<ObjectMeta>>): string[] {
  return Array.from(objects, (metadata) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`).sort();
}

it('SH-19: an informer converges to its shard, and reports no existing object as deleted, whatever happens in between', async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(action, { maxLength: 50, size: 'max' }), async (watchList, actions) => {
      const clock = new VirtualClock();
      const server = new ShardedServer({ watchList, clock });
      const shard = new Shard({ field: 'uid', ranges: rangesOf(5) });
      const informer = new SharedInformer<ConfigMap>({
        listerWatcher: server,
        store: { kind: ConfigMap, freeze: true },
        shard,
        listSlots: new ListSlots({ clock }),
        clock,
        logger: silentLogger,
        random: () => 0,
      });
      const replay = new Replay(server);
      const registration = informer.addHandler(replay);
      const stop = new AbortController();
      const run = informer.run(stop.signal);
      for (const action of actions) {
        switch (action.type) {
          case 'put':
          case 'delete':
            server[action.type](action.name);
            break;
          case 'wait':
            await clock.advance(action.duration);
            break;
          case 'reshard':
            shard.update(rangesOf(action.quarters));
            break;
          default:
            server[action.type]();
        }
      }
      await clock.advance(60_000);
      const owned = server.objects.map(({ metadata }) => metadata).filter((metadata) => shard.has(metadata));
      const expected = versions(owned);
      const held = (): string[] => versions(informer.store.list().map(({ metadata }) => metadata));
      const isComplete = (): boolean =>
        registration.hasSynced &&
        [held(), versions(replay.view.values())].every((now) => now.join() === expected.join());
      for (let turn = 0; turn < 10_000 && !isComplete(); turn += 1) await clock.advance(1_000);

      expect(held()).toEqual(expected);
      expect(versions(replay.view.values())).toEqual(expected);
      expect(replay.complaints).toEqual([]);
      stop.abort();
      await run;
      expect(clock.pendingTimers).toBe(0);
    }),
    { numRuns: 300 },
  );
});
