import { describe, expect, it } from '@jest/globals';
import { KeyTable } from './key-table.ts';
import { RECORD, RecordTable } from './record-table.ts';

/** A table of numbers, which are their own hashes but for `mask`. */
function numberTable(mask: number) {
  const records = new RecordTable();
  const keys = new KeyTable(records);
  const numbers = new Map<number, number>();
  return {
    records,
    keys,
    add(number: number): void {
      const record = records.take();
      records.set(record, RECORD.slab, 0);
      records.set(record, RECORD.hash, Math.imul(number, 0x9e3779b1) & mask);
      keys.insert(record);
      numbers.set(record, number);
    },
    remove(number: number): void {
      const record = this.find(number);
      keys.remove(record);
      records.give(record);
      numbers.delete(record);
    },
    find(number: number): number {
      let record = keys.first(Math.imul(number, 0x9e3779b1) & mask);
      while (record >= 0 && numbers.get(record) !== number) record = records.get(record, RECORD.next);
      return record;
    },
  };
}

describe('KeyTable', () => {
  it.each([
    ['many hashes', -1],
    ['few hashes', 3],
  ])('finds what was inserted and not removed, with %s', (_, mask) => {
    const table = numberTable(mask);
    const count = mask === 3 ? 500 : 20_000;
    for (let number = 0; number < count; number++) table.add(number);
    for (let number = 0; number < count; number += 3) table.remove(number);
    for (let number = 0; number < count; number++)
      expect([number, table.find(number) >= 0]).toEqual([number, number % 3 !== 0]);
    for (let number = 0; number < count; number += 3) table.add(number);
    expect(table.records.size).toBe(count);
    expect(table.records.end).toBe(count);
    for (let number = 0; number < count; number++) table.remove(number);
    expect(table.records.size).toBe(0);
    expect(table.records.byteLength).toBe(0);
    expect(table.keys.byteLength).toBe(16 * 4);
  });

  it('starts small', () => {
    const table = numberTable(-1);
    table.add(1);
    expect(table.records.byteLength + table.keys.byteLength).toBeLessThan(1024);
  });
});
