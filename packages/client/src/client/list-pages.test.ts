import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import type { KubernetesList } from '../kinds/object.ts';
import { ApiError } from '../response/api-error.ts';
import type { ListOptions, Reader } from './client.ts';
import { listPages } from './list-pages.ts';

/** Returns a reader that gives these responses in order. `calls` contains the options of each call. */
function readerOf(
  ...answers: (Partial<KubernetesList<ConfigMap>['metadata']> & { names?: string[]; error?: Error })[]
) {
  const calls: (ListOptions | undefined)[] = [];
  const list = async (_: unknown, options?: ListOptions) => {
    calls.push(options);
    const { names = [], error, ...metadata } = answers[calls.length - 1] ?? {};
    if (error) throw error;
    return { metadata: { resourceVersion: '7', ...metadata }, items: names.map((name) => ({ metadata: { name } })) };
  };
  return { reader: { list } as unknown as Reader, calls };
}

async function namesOf(pages: AsyncIterable<{ readonly items: readonly { readonly metadata: { name: string } }[] }>) {
  const names: string[][] = [];
  for await (const { items } of pages) names.push(items.map(({ metadata }) => metadata.name));
  return names;
}

const total = { bytes: 0 };

describe('listPages', () => {
  it('K-3: follows the pages to the last', async () => {
    const { reader, calls } = readerOf(
      { names: ['a', 'b'], continue: '1' },
      { names: ['c'], continue: '2' },
      { names: ['d'] },
    );
    const options = {
      namespace: 'ns',
      labelSelector: 'app',
      resourceVersion: '5',
      resourceVersionMatch: 'Exact',
    } as const;
    expect(await namesOf(listPages(reader, ConfigMap, { ...options, limit: 2 }))).toEqual([['a', 'b'], ['c'], ['d']]);
    expect(calls).toEqual([
      { ...options, limit: 2, total },
      { namespace: 'ns', labelSelector: 'app', limit: 2, total, continue: '1' },
      { namespace: 'ns', labelSelector: 'app', limit: 2, total, continue: '2' },
    ]);
  });

  it('S-10: counts all pages toward one total', async () => {
    const { reader, calls } = readerOf({ continue: '1' }, { continue: '2' }, {});
    await namesOf(listPages(reader, ConfigMap));
    expect(calls[0]?.total).toEqual({ bytes: 0 });
    expect(new Set(calls.map((options) => options?.total)).size).toBe(1);
  });

  it('K-3: requests 500 objects per page, and no page before the caller reads it', async () => {
    const { reader, calls } = readerOf({ names: ['a'], continue: '1' });
    for await (const page of listPages(reader, ConfigMap)) {
      expect(page.items).toHaveLength(1);
      break;
    }
    expect(calls).toEqual([{ limit: 500, total }]);
  });

  it('K-3: lists everything again when the snapshot expires, so that no object is missed', async () => {
    const { reader, calls } = readerOf(
      { names: ['a', 'b'], continue: '1' },
      { error: new ApiError({ code: 410, reason: 'Expired' }) },
      { names: ['a', 'b', 'c'], resourceVersion: '9' },
    );
    const versions: string[] = [];
    for await (const { metadata } of listPages(reader, ConfigMap, { limit: 2 }))
      versions.push(metadata.resourceVersion);
    expect(versions).toEqual(['7', '9']);
    expect(calls[2]).toEqual({});
  });

  it.each([
    [
      'S-10: ends a list whose pages stay small',
      (page: number) => String(page),
      /after 10000 pages of fewer than 500 objects/,
    ],
    ['S-10: ends a list that repeats its continue token', () => 'same', /repeats its continue token/],
  ])('%s', async (_, tokenOf, message) => {
    let pages = 0;
    const list = async () => {
      pages += 1;
      // A list that did not end would exhaust the memory of the test.
      if (pages > 20_000) throw new Error('the list was not ended');
      return { metadata: { resourceVersion: '7', continue: tokenOf(pages) }, items: [] };
    };
    await expect(namesOf(listPages({ list }, ConfigMap))).rejects.toThrow(message);
  });

  it('throws other errors of a page', async () => {
    const refused = new ApiError({ code: 403 });
    const first = readerOf({ error: new ApiError({ code: 410 }) });
    await expect(namesOf(listPages(first.reader, ConfigMap))).rejects.toMatchObject({ status: 410 });
    const second = readerOf({ continue: '1' }, { error: refused });
    await expect(namesOf(listPages(second.reader, ConfigMap))).rejects.toBe(refused);
  });

  it('reads everything from a cache, which truncates a list and has no continue token', async () => {
    const { reader, calls } = readerOf({ names: ['a'], remainingItemCount: 2 }, { names: ['a', 'b', 'c'] });
    expect(await namesOf(listPages(reader, ConfigMap, { namespace: 'ns', limit: 1 }))).toEqual([['a', 'b', 'c']]);
    expect(calls[1]).toEqual({ namespace: 'ns' });
  });
});
