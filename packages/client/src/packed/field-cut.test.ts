import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FieldCut, type FieldCutOptions } from './field-cut.ts';
import { kubernetesObjectText, NAMES } from './json.fixture.ts';

fc.configureGlobal({ seed: 1 });

/** Returns the text without the cuts. */
function cutText(text: string, options: FieldCutOptions): string {
  const bytes = Buffer.from(text);
  const cuts = new FieldCut(options).cuts(bytes, 0);
  const bounds = [0, ...cuts, bytes.length];
  const kept: Buffer[] = [];
  for (let i = 0; i < bounds.length; i += 2) kept.push(bytes.subarray(bounds[i], bounds[i + 1]));
  return Buffer.concat(kept).toString('utf8');
}

const paths = fc.array(fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }), { maxLength: 4 });
const options = fc.oneof(
  paths.map((drop) => ({ drop })),
  paths.map((keep) => ({ keep })),
  fc.tuple(paths, paths).map(([keep, drop]) => ({ keep, drop })),
);

describe('FieldCut', () => {
  it('PC-1: cuts JSON text with the same result as decoded objects', () => {
    fc.assert(
      fc.property(kubernetesObjectText, options, (text, each) => {
        expect(JSON.parse(cutText(text, each))).toEqual(new FieldCut(each).applyTo(JSON.parse(text)));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ['{"a":1,"b":2,"c":3}', ['b'], '{"a":1,"c":3}'],
    ['{"a":1,"b":2,"c":3}', ['a', 'b'], '{"c":3}'],
    ['{"a":1,"b":2,"c":3}', ['c'], '{"a":1,"b":2}'],
    ['{"a":1,"b":2}', ['a', 'b'], '{}'],
    ['{"a":1,"b":{"c":1,"d":2},"e":3}', ['a', 'b.c', 'e'], '{"b":{"d":2}}'],
    ['{"a":1,"\\u0061":2,"a":3,"b":4}', ['a'], '{"b":4}'],
    ['{"b":[{"a":1},[{"a":1,"c":2}],"a",7]}', ['b.a'], '{"b":[{},[{"c":2}],"a",7]}'],
    ['{ "a" : 1 , "b" : "},\\"" , "c" : [ ] }', ['a', 'c'], '{"b" : "},\\"" }'],
  ])('PC-1: cuts %s without %s', (text, drop, expected) => {
    expect(cutText(text, { drop })).toBe(expected);
  });

  it('drops fields below those to keep', () => {
    const text = '{"metadata":{"name":"a","managedFields":[]},"spec":{}}';
    const cut = new FieldCut({ keep: ['metadata'] }).dropping('metadata.managedFields');
    expect(cut.applyTo(JSON.parse(text))).toEqual({ metadata: { name: 'a' } });
    expect(cut.drops('metadata.managedFields')).toBe(true);
    expect(cut.drops('metadata')).toBe(false);
  });

  it('walks over deeply nested arrays', () => {
    const text = `{"a":${'['.repeat(9_000)}{"b":1}${']'.repeat(9_000)}}`;
    expect(cutText(text, { drop: ['a.b'] })).toBe(text.replace('"b":1', ''));
  });
});
