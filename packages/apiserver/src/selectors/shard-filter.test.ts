import { describe, expect, it } from '@jest/globals';
import { StatusError } from '../status.ts';
import { parseShardSelector } from './shard-filter.ts';

const ZERO = "'0x0000000000000000'";
const HALF = "'0x8000000000000000'";
const END = "'0x10000000000000000'";
const UID = 'object.metadata.uid';

/** Returns the message of the error, after its prefix. */
function problemOf(text: string): string {
  try {
    parseShardSelector(text);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    expect(error.code).toBe(400);
    return error.message.replace('invalid shard selector: ', '');
  }
  return 'none';
}

describe('parseShardSelector', () => {
  it.each([
    [`shardRange(${UID}, ${ZERO}, ${HALF})`, undefined],
    [`  shardRange( ${UID} ,${ZERO},  ${END})  `, `shardRange(${UID}, ${ZERO}, ${END})`],
    [`shardRange(object.metadata.namespace, "0x00000000000000aa", ${HALF})`, undefined],
    [`shardRange(${UID},${ZERO},${HALF})||shardRange(${UID},${HALF},${END})`, undefined],
  ])('K-33: accepts %s, and returns it in its normal form', (text, normal) => {
    const spaced = text
      .replaceAll('"', "'")
      .replaceAll(/\s*,\s*/g, ', ')
      .replaceAll(/\s*\|\|\s*/g, ' || ');
    expect(parseShardSelector(text).text).toBe(normal ?? spaced);
  });

  it('K-33: accepts 1,000 ranges', () => {
    const one = `shardRange(${UID}, ${ZERO}, ${HALF})`;
    const text = Array<string>(1_000).fill(one).join(' || ');
    expect(parseShardSelector(text).text).toBe(text);
  });

  it.each([
    [' ', 'empty shard selector is not allowed; omit the parameter for unfiltered lists'],
    [`other(${UID}, ${ZERO}, ${HALF})`, 'unsupported function "other"; only shardRange() and || are allowed'],
    [
      `shardRange(${UID}, ${ZERO}, ${HALF}) && shardRange(${UID}, ${HALF}, ${END})`,
      'unsupported function "_&&_"; only shardRange() and || are allowed',
    ],
    [`shardRange(${UID}, ${ZERO})`, 'shardRange() requires exactly 3 arguments, got 2'],
    [UID, 'unexpected expression kind 7; expected shardRange() call or || operator'],
    [
      `shardRange(object.metadata.name, ${ZERO}, ${HALF})`,
      'unsupported field path "object.metadata.name"; supported: object.metadata.uid, object.metadata.namespace',
    ],
    [
      `shardRange('uid', ${ZERO}, ${HALF})`,
      'shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 5',
    ],
    [`shardRange(${UID}, 0, 8)`, 'hexStart must be a string literal, got int64'],
    [`shardRange(${UID}, ${ZERO}, hex(8))`, "hexEnd must be a string literal (e.g. '0xff'), got expression kind 1"],
    [`shardRange(${UID}, '0000000000000000', ${HALF})`, `hexStart must have '0x' prefix, got "0000000000000000"`],
    [`shardRange(${UID}, ${ZERO}, '0x')`, "hexEnd: hex value is required after '0x'"],
    [
      `shardRange(${UID}, ${ZERO}, '0x100000000000000000')`,
      'hexEnd: hex value too long (18 chars, max 17): "100000000000000000"',
    ],
    [
      `shardRange(${UID}, ${ZERO}, '0x10000000000000001')`,
      `hexEnd: 17-digit hex value must be ${END} (2^64), got "0x10000000000000001"`,
    ],
    [
      `shardRange(${UID}, '0x000000000000000G', ${HALF})`,
      'hexStart: invalid hex character "G" in "0x000000000000000G"',
    ],
    [
      `shardRange(${UID}, '0x0', ${HALF})`,
      'hexStart must be a 0x-prefixed 16-digit hex value, got "0x0" (did you mean "0x0000000000000000"?)',
    ],
    [
      `shardRange(${UID}, ${HALF}, ${HALF})`,
      'shard range start 0x8000000000000000 must be less than end 0x8000000000000000',
    ],
    [
      `shardRange(${UID}, ${ZERO}, ${HALF}) || shardRange(object.metadata.namespace, ${HALF}, ${END})`,
      'all shard ranges must use the same field, got "object.metadata.uid" and "object.metadata.namespace"',
    ],
  ])('K-33: refuses %s', (text, message) => {
    expect(problemOf(text)).toBe(message);
  });

  it.each(['shardRange(', `shardRange(${UID}, ${ZERO}, ${HALF}`, 'a b', '||', `shardRange(${UID}, '`, 'a..b'])(
    'K-33: refuses %j, which is not an expression',
    (text) => {
      expect(problemOf(text)).toMatch(/^CEL parse error: Syntax error/);
    },
  );
});
