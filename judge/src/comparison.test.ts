import { describe, expect, it } from '@jest/globals';
import { compare } from './comparison.ts';
import { REPAIR_EVENT } from './normaliser.ts';
import type { Answer } from './side.ts';

const answer = (managers: readonly string[], name = 'a'): Answer => {
  const entries = managers.map((manager) => `    - apiVersion: v1\n      manager: ${manager}\n      time: "TIME"\n`);
  const body = `items:\n- kind: ConfigMap\n  metadata:\n    managedFields:\n${entries.join('')}    name: ${name}\n`;
  return { status: 200, headers: {}, body };
};

describe('the comparison of two answers', () => {
  it('K-16: accepts bodies in YAML whose managers have another order, and no other difference', () => {
    expect(compare(answer(['one', 'two']), answer(['two', 'one']))).toEqual([]);
    expect(compare(answer(['one', 'two']), answer(['two', 'three']))).toHaveLength(1);
    expect(compare(answer(['one']), answer(['one'], 'b'))).toHaveLength(1);
  });

  it('accepts a list without the Events of repair controllers, and a page in which they take the place of others', () => {
    const list = (...items: string[]): Answer => ({ status: 200, headers: {}, body: { items } });
    const none: Answer = { status: 200, headers: {}, body: { items: null } };
    expect(compare(list(REPAIR_EVENT, 'a'), list('a'))).toEqual([]);
    expect(compare(list(REPAIR_EVENT), list('a'))).toEqual([]);
    expect(compare(list(REPAIR_EVENT), none)).toEqual([]);
    expect(compare(list(REPAIR_EVENT, 'a'), list('b'))).toHaveLength(1);
    expect(compare(list(REPAIR_EVENT, 'a'), list('a', 'b', 'c'))).toHaveLength(2);
    expect(compare(list(REPAIR_EVENT, 'a'), none)).toHaveLength(1);
  });

  it('accepts a list in YAML without the objects that the binaries create', () => {
    const item = (name: string): string => `- metadata:\n    name: ${name}\n`;
    const list = (...items: readonly string[]): Answer => ({
      status: 200,
      headers: {},
      body: `apiVersion: v1\nitems:\n${items.join('')}kind: List\n`,
    });
    const lease = item(`apiserver-${'a'.repeat(26)}`);
    expect(compare(list(item('a'), lease), list(item('a')))).toEqual([]);
    expect(compare(list(item('a'), item('b')), list(item('a')))).toHaveLength(1);
  });
});
