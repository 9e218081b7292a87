import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { clientRespondingWith } from './respond-with.fixture.ts';

const items = [{ metadata: { name: 'a', annotations: { note: '"continue":"no"' } } }];

describe('onContinue', () => {
  const told = async (body: unknown, status = 200) => {
    const tokens: string[] = [];
    const { client } = clientRespondingWith({ status, body });
    await client.list(ConfigMap, { onContinue: (token) => tokens.push(token) }).catch(() => undefined);
    return tokens;
  };

  it('is called before the page is parsed', async () => {
    const order: string[] = [];
    const { client } = clientRespondingWith({
      body: { metadata: { resourceVersion: '1', continue: 'eyJ2-_=' }, items },
    });
    const list = await client.list(ConfigMap, { onContinue: (token) => order.push(token) });
    order.push('parsed');
    expect(order).toEqual(['eyJ2-_=', 'parsed']);
    expect(list.items).toHaveLength(1);
  });

  it('is not called for the last page, whatever its objects contain', async () => {
    expect(await told({ metadata: { resourceVersion: '1' }, items })).toEqual([]);
    expect(await told({ items, metadata: { continue: 'behind' } })).toEqual([]);
  });

  it('is not called when the server refuses the list', async () => {
    expect(await told({ kind: 'Status', metadata: { continue: 'newer' }, code: 410 }, 410)).toEqual([]);
  });
});

it('S-10: lists and tables pass the total of their pages on to the transport', async () => {
  const total = { bytes: 0 };
  const list = clientRespondingWith({ body: { metadata: { resourceVersion: '1' }, items } });
  await list.client.list(ConfigMap, { total });
  const table = clientRespondingWith({
    body: { kind: 'Table', metadata: { resourceVersion: '1' }, columnDefinitions: [], rows: [] },
  });
  await table.client.table(ConfigMap, { total });
  for (const { requests } of [list, table]) expect(requests.at(-1)?.total).toBe(total);
});
