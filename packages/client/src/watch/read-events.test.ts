import { describe, expect, it } from '@jest/globals';
import type { ConfigMap } from '../kinds/builtin.ts';
import { added, configMap } from '../reflector/scripted-lister-watcher.fixture.ts';
import { readEvents } from './read-events.ts';

describe('readEvents', () => {
  it('P-7: gives the event loop its turns while it parses megabytes that have arrived at once', async () => {
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
    expect(batches).toBe(Math.ceil(chunk.length / (256 * 1024)));
  });
});
