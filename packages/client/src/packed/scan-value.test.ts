import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from '../json/json.ts';
import { maybeMutated, valueText } from './json.fixture.ts';
import { beginScan, SCAN, scan, scanValue, skipSpace } from './scan-value.ts';
import { loadWindow } from './window.ts';

fc.configureGlobal({ seed: 1 });

/** Scans a document. Returns the result of the scan, or `SCAN.invalid` if something follows the value. */
function scanDocument(document: Uint8Array): number {
  const { bytes, limit } = loadWindow([document]);
  beginScan(limit);
  const end = scanValue(bytes, skipSpace(bytes, 0), 0);
  return end < 0 || skipSpace(bytes, end) === limit ? end : SCAN.invalid;
}

function isJson(document: Buffer): boolean {
  try {
    parseJson(document.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

describe('scanValue', () => {
  it('PC-1: accepts what JSON.parse accepts, for arbitrary and mutated JSON', () => {
    fc.assert(
      fc.property(maybeMutated(fc.oneof(valueText, fc.json())), (document) => {
        expect(scanDocument(document) > 0).toBe(isJson(document));
      }),
      { numRuns: 5_000 },
    );
  });

  it('PC-1: accepts what JSON.parse accepts, for any bytes', () => {
    const byte = fc.constantFrom(...Buffer.from('{}[]",:\\ \n\t0123-+eE.truefalsn/u\u0000é'), 0xff, 0x1f, 0x7f);
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 12 }), (bytes) => {
        expect(scanDocument(Buffer.from(bytes)) > 0).toBe(isJson(Buffer.from(bytes)));
      }),
      { numRuns: 20_000 },
    );
  });

  it('PC-1: accepts the same bytes in a string and after a backslash as JSON.parse', () => {
    for (let byte = 0; byte < 256; byte += 1) {
      for (const [before, after] of [
        ['"', '"'],
        ['"\\', '"'],
        ['"\\', '0000"'],
        ['"\\u00', '0"'],
        ['', ''],
        ['1', '1'],
      ]) {
        const document = Buffer.concat([
          Buffer.from(before as string),
          Buffer.from([byte]),
          Buffer.from(after as string),
        ]);
        expect([document.toString('latin1'), scanDocument(document) > 0]).toEqual([
          document.toString('latin1'),
          isJson(document),
        ]);
      }
    }
  });

  it('PC-1: a document that is cut anywhere is incomplete', () => {
    fc.assert(
      fc.property(
        valueText.filter((text) => /^[{["]/.test(text)),
        fc.nat(),
        (text, place) => {
          const document = Buffer.from(text);
          const cut = place % document.length;
          expect(scanDocument(document.subarray(0, cut))).toBe(SCAN.incomplete);
          expect(scanDocument(document)).toBe(document.length);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('PC-1: limits nesting to 10,000 levels', () => {
    const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
    expect(scanDocument(nested(10_000))).toBe(20_000);
    expect(scanDocument(nested(10_001))).toBe(SCAN.tooDeep);
    expect(scanDocument(Buffer.from('{"":'.repeat(10_001)))).toBe(SCAN.tooDeep);
  });

  it('PC-1: counts integers that may be a bigint', () => {
    const counted = (text: string) => {
      scanDocument(Buffer.from(text));
      return scan.longIntegers;
    };
    expect(counted('[1,999999999999999,1.0000000000000001,"9007199254740993",1000000000000000e3]')).toBe(0);
    expect(counted('[9007199254740993,-9007199254740993,{"a":1000000000000000}]')).toBe(3);
  });
});
