import { describe, expect, it } from '@jest/globals';
import { storeObject } from '../storage/stored-object.ts';
import { RecentEncodings } from './recent-encodings.ts';

const stored = (name: string) => {
  const metadata = { name, uid: name, resourceVersion: '1', creationTimestamp: '' };
  return storeObject('things', { kind: 'Thing', apiVersion: 'v1', metadata });
};

describe('RecentEncodings', () => {
  it('encodes an object once in each format', () => {
    const encodings = new RecentEncodings();
    const [one, other] = [stored('one'), stored('other')];
    const calls: string[] = [];
    const get = (object: typeof one, format: string) =>
      encodings
        .get(object, format, () => {
          calls.push(`${object.name} ${format}`);
          return Buffer.from(`${object.name} as ${format}`);
        })
        .toString();
    for (let time = 0; time < 2; time++) {
      expect(get(one, 'a')).toBe('one as a');
      expect(get(one, 'b')).toBe('one as b');
      expect(get(other, 'a')).toBe('other as a');
    }
    expect(calls).toEqual(['one a', 'one b', 'other a']);
  });

  it('drops the oldest objects beyond its limit', () => {
    const encodings = new RecentEncodings(100);
    const objects = Array.from({ length: 20 }, (_, index) => stored(String(index)));
    let calls = 0;
    const encode = () => {
      calls += 1;
      return Buffer.alloc(20);
    };
    for (const object of objects) encodings.get(object, 'a', encode);
    expect(calls).toBe(20);
    for (const object of objects.slice(-5)) encodings.get(object, 'a', encode);
    expect(calls).toBe(20);
    for (const object of objects.slice(0, 5)) encodings.get(object, 'a', encode);
    expect(calls).toBe(25);
    expect(encodings.get(objects[0] ?? stored('x'), 'b', () => Buffer.alloc(1_000))).toHaveLength(1_000);
  });
});
