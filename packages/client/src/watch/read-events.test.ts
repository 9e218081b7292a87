import { describe, expect, it } from '@jest/globals';
import type { ConfigMap } from '../kinds/builtin.ts';
import { added, configMap } from '../reflector/scripted-lister-watcher.fixture.ts';
import type { ListTotal } from '../transport/response-limits.ts';
import { readEvents } from './read-events.ts';

describe('readEvents', () => {
  it('P-7: yields to the event loop while it parses megabytes that arrived at once', async () => {
    const names = Array.from({ length: 40_000 }, (_, index) => `object-${index}`);
    const chunk = Buffer.from(names.map((name) => `${JSON.stringify(added(configMap(name, '3')))}\n`).join(''));
    let batches = 0;
    const read: string[] = [];
    async function* body() {
      yield await Promise.resolve(chunk);
    }
    for await (const events of readEvents<ConfigMap>(body(), { maxLine: 8 * 1024 * 1024 })) {
      batches++;
      for (const { object } of events) read.push((object as ConfigMap).metadata.name);
    }
    expect(read).toEqual(names);
    expect(batches).toBe(Math.ceil(chunk.length / (64 * 1024)));
  });

  it('S-10: yields to the event loop between slow lines that arrived at once', async () => {
    const strings = Array.from({ length: 190_000 }, (_, index) => index.toString(36));
    const chunk = Buffer.from(`${JSON.stringify({ ...added(configMap('a', '3')), strings })}\n`.repeat(3));
    let turns = 0;
    let counting = setImmediate(function turn() {
      turns += 1;
      counting = setImmediate(turn);
    });
    const turnsOfEvents: number[] = [];
    async function* body() {
      yield await Promise.resolve(chunk);
    }
    for await (const events of readEvents(body(), { maxLine: 8 * 1024 * 1024 })) {
      turnsOfEvents.push(...events.map(() => turns));
    }
    clearImmediate(counting);
    expect(turnsOfEvents).toHaveLength(3);
    expect(new Set(turnsOfEvents).size).toBe(3);
  });

  it('S-10: limits all initial events together if a limit is set, and no later events', async () => {
    const line = (index: number) =>
      `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: `o${index}`, resourceVersion: '1' } } })}\n`;
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const end = `${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '1', annotations } } })}\n`;
    const read = async (lines: readonly string[], maxTotal: number) => {
      let count = 0;
      const body = async function* () {
        for (const each of lines) yield await Promise.resolve(Buffer.from(each));
      };
      for await (const events of readEvents(body(), { maxLine: 1_000, maxTotal, sendInitialEvents: true }))
        count += events.length;
      return count;
    };
    const initial = Array.from({ length: 10 }, (_, index) => line(index));
    const size = initial.join('').length;
    expect(await read([...initial, end, ...initial], size + end.length)).toBe(21);
    await expect(read([...initial, end], size - 1)).rejects.toThrow(
      `the initial events have more than ${size - 1} bytes: raise limits.list, or select fewer objects`,
    );
  });
  it('S-10: limits what a watch adds to its list, per object, across all its streams', async () => {
    const line = (type: string, name: string, namespace?: string) =>
      `${JSON.stringify({ type, object: { metadata: { name, namespace, resourceVersion: '1' } } })}\n`;
    const total: ListTotal = { bytes: 1_000 };
    const read = async (lines: readonly string[], maxTotal: number) => {
      const body = async function* () {
        yield await Promise.resolve(Buffer.from(lines.join('')));
      };
      let count = 0;
      try {
        for await (const events of readEvents(body(), { maxLine: 1_000, maxTotal, total })) count += events.length;
        return count;
      } catch (error) {
        return [count, error];
      }
    };
    const [first, second] = [line('ADDED', 'é', 'ns'), line('MODIFIED', 'b/c', 'a')];
    // A second event of an object replaces its size; a deletion removes it.
    expect(await read([first, first, second, second, line('ADDED', 'x'), line('DELETED', 'x')], 2_000)).toBe(6);
    const size = 1_000 + Buffer.byteLength(first + second);
    expect(total.bytes).toBe(size);
    expect(await read([first], size)).toBe(1);
    // Keys with slashes in names are still different.
    const excess = expect.objectContaining({
      name: 'OutgrownListError',
      message: `the list and the changes since then have more than ${size} bytes, so they are listed again: raise limits.list, or select fewer objects`,
    });
    expect(await read([line('MODIFIED', 'c', 'a/b')], size)).toEqual([1, excess]);
  });
});
