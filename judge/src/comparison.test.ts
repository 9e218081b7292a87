import { describe, expect, it } from '@jest/globals';
import { compare } from './comparison.ts';
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
});
