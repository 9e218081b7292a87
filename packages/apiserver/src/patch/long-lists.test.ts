import { describe, expect, it } from '@jest/globals';
import { jsonPatch } from './json-patch.ts';
import { LongLists } from './long-lists.ts';

describe('lists of a JSON patch', () => {
  it('K-30: an insertion into a long list moves few items', () => {
    const lists = new LongLists();
    const list = Array.from({ length: 20_000 }, (_, index) => index);
    for (let index = 0; index < 10_000; index++) lists.insert(list, 0, -index);
    lists.flush();
    expect(list).toHaveLength(30_000);
    // Without runs, each insertion would move 20,000 items or more.
    expect(lists.moved / 10_000).toBeLessThan(600);
  });

  it('K-12: changes long lists as short ones', () => {
    const items = Array.from({ length: 3000 }, (_, index) => ({ a: index }));
    const patch: object[] = [];
    const expected: unknown[] = items.map((item) => ({ ...item }));
    for (let index = 0; index < 600; index++) {
      const at = (index * 37) % expected.length;
      const kind = index % 5;
      if (kind === 0) {
        patch.push({ op: 'add', path: `/l/${at}`, value: index });
        expected.splice(at, 0, index);
      } else if (kind === 1) {
        patch.push({ op: 'remove', path: `/l/${at}` });
        expected.splice(at, 1);
      } else if (kind === 2) {
        patch.push({ op: 'copy', from: `/l/${at}`, path: '/l/-' });
        expected.push(structuredClone(expected[at]));
      } else if (kind === 3) {
        patch.push({ op: 'replace', path: `/l/${at}`, value: { b: index } });
        expected[at] = { b: index };
      } else {
        patch.push({ op: 'move', from: `/l/${at}`, path: '/l/0' });
        expected.unshift(...expected.splice(at, 1));
      }
    }
    patch.push({ op: 'test', path: '/l', value: expected }, { op: 'add', path: '/l/-', value: 'last' });
    expect(jsonPatch({ l: items }, patch)).toEqual({ l: [...expected, 'last'] });
    expect(items).toHaveLength(3000);
  });
});
