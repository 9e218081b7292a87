import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ChunkedBody, sizeOfGroup } from './chunked-body.ts';
import { WholeBody } from './whole-body.ts';

const KIB = 1024;
async function textsOf<T>(items: AsyncIterable<T>): Promise<string[]> {
  const texts: string[] = [];
  for await (const item of items) texts.push(String(item));
  return texts;
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const groupsOf = (body: Readable) =>
  new WholeBody(
    { status: 200, headers: {}, body },
    { host: 'h:1', limit: { bytes: Infinity, name: 'list' }, until: (step) => step },
  );

describe('ChunkedBody', () => {
  it('groups the chunks that arrived in one turn of the event loop', async () => {
    const source = new Readable({ read: () => undefined });
    const groups = groupsOf(source);
    const first = groups.next();
    for (const text of ['a', 'b', 'c']) source.push(text);
    expect((await first)?.map(String)).toEqual(['a', 'b', 'c']);
    const second = groups.next();
    source.push('d');
    await turn();
    await turn();
    source.push('e');
    expect((await second)?.map(String)).toEqual(['d']);
    source.push(null);
    expect((await groups.next())?.map(String)).toEqual(['e']);
    expect(await groups.next()).toBeUndefined();
  });

  it('yields each chunk of the groups, and groups of one for another body', async () => {
    const chunks = ['a', 'b', 'c'].map((text) => Buffer.from(text));
    const body = new ChunkedBody(Readable.from([chunks.slice(0, 2), chunks.slice(2)]));
    expect(await textsOf(body)).toEqual(['a', 'b', 'c']);
    expect(await textsOf(ChunkedBody.groupsOf(Readable.from(chunks)))).toEqual(['a', 'b', 'c']);
  });

  it('P-7: reads at most 256 KiB ahead of a slow reader', async () => {
    let produced = 0;
    const chunk = Buffer.alloc(16 * KIB);
    const source = new Readable({
      highWaterMark: chunk.length,
      read() {
        produced += chunk.length;
        setImmediate(() => this.push(chunk));
      },
    });
    const groups = groupsOf(source);
    let taken = 0;
    for (let i = 0; i < 3; i += 1) {
      taken += sizeOfGroup((await groups.next()) ?? []);
      for (let turns = 0; turns < 100; turns += 1) await turn();
      expect(produced - taken).toBeGreaterThan(200 * KIB);
      // The difference includes the waiting chunks, what the stream holds, and the chunk that it reads.
      expect(produced - taken).toBeLessThanOrEqual(256 * KIB + 2 * chunk.length);
    }
    groups.close();
    source.destroy();
  });
});
