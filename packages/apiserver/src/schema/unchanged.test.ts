import { describe, expect, it } from '@jest/globals';
import { schemaErrors } from './validate.ts';

const items = { type: 'object', properties: { k: { type: 'string' }, v: { type: 'string' } } } as const;
const list = { type: 'array', maxItems: 1, items } as const;

describe('values that an update keeps', () => {
  const errorsOf = (schema: object, before: unknown, value: unknown): number => {
    const root = { type: 'object', properties: { l: schema } } as const;
    return schemaErrors(root, { l: value }, { before: { value: { l: before } } }).length;
  };

  const keyed = { ...list, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
  const [a, b] = [
    { k: 'a', v: '1' },
    { k: 'b', v: '2' },
  ];

  it('K-20: an update keeps an invalid list with keys if only the order of its items changes', () => {
    expect(errorsOf(keyed, [a, b], [b, a])).toBe(0);
    expect(errorsOf(keyed, [a, b], [{ ...b, v: '3' }, a])).toBe(1);
    expect(errorsOf(keyed, [a, b], [a, { k: 'c', v: '2' }])).toBe(1);
  });

  it('K-20: an item without a key counts as changed', () => {
    const nameless = { v: '2' };
    expect(errorsOf(keyed, [a, nameless], [a, nameless])).toBe(1);
  });

  it('K-20: the order of the items of another list counts', () => {
    expect(errorsOf(list, [a, b], [a, b])).toBe(0);
    expect(errorsOf(list, [a, b], [b, a])).toBe(1);
  });

  it('K-20: an object with a field that its schema does not have counts as changed', () => {
    const object = { type: 'object', minProperties: 3, properties: { k: { type: 'string' } } };
    expect(errorsOf(object, { k: 'a' }, { k: 'a' })).toBe(0);
    const open = { ...object, 'x-kubernetes-preserve-unknown-fields': true };
    expect(errorsOf(open, { k: 'a', z: 1 }, { k: 'a', z: 1 })).toBe(1);
  });
});
