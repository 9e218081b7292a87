import { describe, expect, it } from '@jest/globals';
import { ConfigMap } from '../kinds/builtin.ts';
import { clientAnswered } from './answered-client.fixture.ts';

const items = [{ metadata: { name: 'a', annotations: { note: '"continue":"no"' } } }];

describe('a list that tells of the next page', () => {
  const told = async (body: unknown, status = 200) => {
    const tokens: string[] = [];
    const { client } = clientAnswered({ status, body });
    await client.list(ConfigMap, { onContinue: (token) => tokens.push(token) }).catch(() => undefined);
    return tokens;
  };

  it('tells it before the page is parsed', async () => {
    const order: string[] = [];
    const { client } = clientAnswered({ body: { metadata: { resourceVersion: '1', continue: 'eyJ2-_=' }, items } });
    const list = await client.list(ConfigMap, { onContinue: (token) => order.push(token) });
    order.push('parsed');
    expect(order).toEqual(['eyJ2-_=', 'parsed']);
    expect(list.items).toHaveLength(1);
  });

  it('tells nothing of a last page, whatever its objects hold', async () => {
    expect(await told({ metadata: { resourceVersion: '1' }, items })).toEqual([]);
    expect(await told({ items, metadata: { continue: 'behind' } })).toEqual([]);
  });

  it('tells nothing of a refusal', async () => {
    expect(await told({ kind: 'Status', metadata: { continue: 'newer' }, code: 410 }, 410)).toEqual([]);
  });
});
