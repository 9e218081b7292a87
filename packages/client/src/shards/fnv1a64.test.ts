import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { fnv1a64, hashBytes } from './fnv1a64.ts';

/** Vectors of the authors of FNV: draft-eastlake-fnv, and `test_fnv.c` of the reference implementation. */
const VECTORS: readonly (readonly [string, bigint])[] = [
  ['', 0xcbf29ce484222325n],
  ['a', 0xaf63dc4c8601ec8cn],
  ['b', 0xaf63df4c8601f1a5n],
  ['c', 0xaf63de4c8601eff2n],
  ['fo', 0x08985907b541d342n],
  ['foo', 0xdcb27518fed9d577n],
  ['foobar', 0x85944171f73967e8n],
];

describe('fnv1a64', () => {
  it.each(VECTORS)('SH-19: hashes %j as the published vectors say', (text, hash) => {
    expect(fnv1a64(text)).toBe(hash);
  });

  it('SH-19: hashes any bytes as the definition with integers of any size does', () => {
    for (let round = 0; round < 500; round += 1) {
      const bytes = randomBytes(round % 64);
      const hash = { high: 0, low: 0 };
      hashBytes(bytes, 0, bytes.length, hash);
      expect([bytes.toString('hex'), (BigInt(hash.high) << 32n) | BigInt(hash.low)]).toEqual([
        bytes.toString('hex'),
        bytes.reduce((sum, byte) => BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n), 0xcbf29ce484222325n),
      ]);
    }
  });

  it('hashes a part of the bytes, and texts in UTF-8', () => {
    const hash = { high: 0, low: 0 };
    hashBytes(Buffer.from('<foobar>'), 1, 7, hash);
    expect(hash).toEqual({ high: 0x85944171, low: 0xf73967e8 });
    const bytes = Buffer.from('größe');
    hashBytes(bytes, 0, bytes.length, hash);
    expect(fnv1a64('größe')).toBe((BigInt(hash.high) << 32n) | BigInt(hash.low));
  });
});
