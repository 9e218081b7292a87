import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { CompressedEntries } from './compressed-entries.fixture.ts';
import { blockOf, type EntryBlock } from './entry.fixture.ts';
import { EventLeases } from './event-leases.ts';
import { collectGarbage } from '../garbage/garbage.fixture.ts';
import { ObjectDecoder } from './object-decoder.ts';
import { PackedObject } from './packed-object.ts';

const source = { decoder: new ObjectDecoder({ kind: ConfigMap, freeze: true }), held: () => undefined };

describe.each([false, true])('PC-8: EventLeases (compress: %s)', (compress) => {
  function blockOfSize(count: number, size: number): EntryBlock {
    const block = plainBlockOfSize(count, size);
    return compress ? new CompressedEntries(block) : block;
  }

  it('PC-10: an object of an event survives the reuse of its memory', async () => {
    const leases = new EventLeases();
    const block = blockOfSize(10, 100);
    const objects = packAll(leases, block);
    expect(leases.isReferenced(block)).toBe(true);
    await detachAll(leases);
    expect(leases.isReferenced(block)).toBe(false);
    block.bytes.fill(0);
    expect(objects.map(({ object }) => object.metadata.name)).toEqual(names(10));
    expect(objects.map(({ key }) => key.name)).toEqual(names(10));
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(names(10));
  });

  it('PC-10: an object that was read in part survives the reuse of its memory', async () => {
    const leases = new EventLeases();
    const block = blockOfSize(2, 100);
    const [first, second] = packAll(leases, block);
    expect([first?.key.name, second?.metadata.name]).toEqual(names(2));
    await detachAll(leases);
    block.bytes.fill(0);
    expect([first?.object.metadata.name, second?.object.metadata.name]).toEqual(names(2));
    expect([first?.uid, second?.resourceVersion]).toEqual(['u', '1']);
  });

  it('does not protect memory when no object is referenced', async () => {
    const leases = new EventLeases();
    const blocks = [blockOfSize(20, 2_000), blockOfSize(20, 2_000)] as const;
    let objects: unknown[] = packAll(leases, blocks[0]);
    // The leases of the last 16 KiB take up more objects, so they are alive.
    packAll(leases, blocks[1]);
    await collectGarbage();
    expect(leases.isReferenced(blocks[0])).toBe(objects.length > 0);
    objects = [];
    await collectGarbage();
    expect(leases.isReferenced(blocks[0])).toBe(objects.length > 0);
  });

  it('PC-10: detaches leases after 10 s if they are referenced', async () => {
    const leases = new EventLeases();
    const block = blockOfSize(1, 100);
    const [object] = packAll(leases, block);
    const now = performance.now();
    await leases.sweep(now + 2_000, now + 1);
    expect(leases.isEmpty).toBe(false);
    await collectGarbage();
    // Without a garbage collection, it may still be referenced.
    await leases.sweep(now + 11_000, now - 1_000);
    expect(leases.isEmpty).toBe(false);
    expect(leases.isReferenced(block)).toBe(true);
    await leases.sweep(now + 11_000, now + 5_000);
    expect(leases.isEmpty).toBe(true);
    expect(leases.isReferenced(block)).toBe(false);
    block.bytes.fill(0);
    expect(object?.object.metadata.name).toBe('web-0');
  });

  it('PC-10: detaches old leases when those between them have been collected', async () => {
    const leases = new EventLeases();
    const blocks = Array.from({ length: 5 }, () => blockOfSize(1, 20_000));
    // The second and the fourth lease are not kept.
    const kept = blocks.map((block) => packAll(leases, block)).filter((_, at) => at % 2 === 0);
    packAll(leases, blockOfSize(1, 20_000));
    const now = performance.now();
    await leases.sweep(now + 2_000, 0);
    await collectGarbage();
    expect(blocks.map((block) => leases.isReferenced(block))).toContain(true);
    await leases.sweep(now + 11_000, now + 5_000);
    expect(leases.isEmpty).toBe(true);
    expect(blocks.map((block) => leases.isReferenced(block))).not.toContain(true);
    for (const block of blocks) block.bytes.fill(0);
    expect(kept.flat().map(({ object }) => object.metadata.name)).toEqual(['web-0', 'web-0', 'web-0']);
  });

  it('P-7: detaches leases in turns of the event loop', async () => {
    const leases = new EventLeases();
    const objects = packAll(leases, blockOfSize(2_000, 15_000));
    let turns = 0;
    let counting = setImmediate(function turn() {
      turns += 1;
      counting = setImmediate(turn);
    });
    await detachAll(leases);
    clearImmediate(counting);
    expect(turns).toBeGreaterThan(1);
    expect(objects[1_999]?.key.name).toBe('web-1999');
  });

  it('PC-10: an event of a small object does not keep a large object', () => {
    const leases = new EventLeases();
    const [small, large, next] = [blockOfSize(1, 100), blockOfSize(1, 100_000), blockOfSize(1, 100)] as const;
    const lease = leases.leaseFor(small, 0);
    lease.add(small, 0);
    const own = leases.leaseFor(large, 0);
    expect(own).not.toBe(lease);
    own.add(large, 0);
    expect(leases.leaseFor(next, 0)).not.toBe(own);
  });

  it('forgets leases without references', async () => {
    const leases = new EventLeases();
    packAll(leases, blockOfSize(100, 1_000));
    const now = performance.now();
    await leases.sweep(now + 2_000, 0);
    await collectGarbage();
    await leases.sweep(now + 3_000, 0);
    expect(leases.isEmpty).toBe(true);
  });

  it('PC-10: an object that was read after it was detached keeps its own bytes only', async () => {
    const leases = new EventLeases();
    const size = 7_000;
    const block = blockOfSize(2, size);
    const detached = new WeakRef(leases.leaseFor(block, 0));
    const [first] = packAll(leases, block);
    await detachAll(leases);
    expect(first?.uid).toBe('u');
    const [taken, other] = [0, 1].map((number) => detached.deref()?.takeCopy(number)?.bytes.buffer.byteLength ?? 0);
    expect(taken).toBe(0);
    expect(other).toBeGreaterThan(size * 0.9);
    expect(other).toBeLessThan(size * 1.2);
    await collectGarbage();
    expect(detached.deref()).toBeUndefined();
    expect(first?.key.name).toBe('web-0');
  });
});

/** Detaches the leases of earlier turns, as if they were old. */
function detachAll(leases: EventLeases): Promise<void> {
  return leases.sweep(performance.now() + 11_000, performance.now() + 5_000);
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `web-${at}`);
}

function plainBlockOfSize(count: number, size: number): EntryBlock {
  return blockOf(
    names(count).map((name) => ({ metadata: { name, uid: 'u', resourceVersion: '1' }, data: { a: 'x'.repeat(size) } })),
  );
}

function packAll(leases: EventLeases, block: EntryBlock): PackedObject<ConfigMap>[] {
  return block.entries.map((entry) => new PackedObject(source, block, entry, leases.leaseFor(block, entry)));
}
