import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { kubernetesObjectText, NAMES } from './json.fixture.ts';
import { PathReader } from './path-reader.ts';

fc.configureGlobal({ seed: 1 });

function read(text: string, names: readonly string[]): unknown {
  const bytes = Buffer.from(`[${text}]`);
  const found = new PathReader(names).find(bytes, 1);
  return found && (JSON.parse(bytes.toString('utf8', found.start, found.end)) as unknown);
}

function decoded(value: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>((each, name) => {
    const isObject = typeof each === 'object' && each !== null && !Array.isArray(each);
    return isObject ? Object.getOwnPropertyDescriptor(each, name)?.value : undefined;
  }, value);
}

describe('PathReader', () => {
  it('PC-1: finds the value that a parser finds', () => {
    const names = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(kubernetesObjectText, names, (text, each) => {
        expect(read(text, each)).toEqual(decoded(JSON.parse(text), each));
      }),
      { numRuns: 5_000 },
    );
  });

  it('PC-1: finds the last of equal fields, with or without escapes', () => {
    expect(read('{"spec":{"nodeName":"a"},"sp\\u0065c":{"nodeName":"b","nodeName":"c"}}', ['spec', 'nodeName'])).toBe(
      'c',
    );
    expect(read('{"spec":{"nodeName":"a"},"spec":{}}', ['spec', 'nodeName'])).toBeUndefined();
    expect(read('{"spec":[{"nodeName":"a"}]}', ['spec', 'nodeName'])).toBeUndefined();
  });
});
