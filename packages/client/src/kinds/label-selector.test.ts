import { describe, expect, it } from '@jest/globals';
import { matchesLabels, parseLabelSelector } from './label-selector.ts';

function matches(selector: string, labels?: Record<string, string>): boolean {
  return matchesLabels(parseLabelSelector(selector), labels);
}

describe('label selector', () => {
  it('K-4: matches equality forms', () => {
    expect(matches('env=prod', { env: 'prod' })).toBe(true);
    expect(matches('env == prod', { env: 'prod' })).toBe(true);
    expect(matches('env=prod', { env: 'test' })).toBe(false);
    expect(matches('env!=prod', { env: 'test' })).toBe(true);
    expect(matches('env!=prod', { env: 'prod' })).toBe(false);
    expect(matches('env!=prod')).toBe(true);
    expect(matches('env=', { env: '' })).toBe(true);
    expect(matches('env=', {})).toBe(false);
  });

  it.each([{ toString: 1, valueOf: 1 }, null, 2, ['2']])(
    'K-4: a label of a faulty server that is %j meets no comparison, and throws no error',
    (value) => {
      const labels = { env: value } as unknown as Record<string, string>;
      for (const selector of ['env>1', 'env<3', 'env=2', 'env in (2,3)']) expect(matches(selector, labels)).toBe(false);
    },
  );

  it('K-4: matches set forms', () => {
    expect(matches('env in (prod, test)', { env: 'test' })).toBe(true);
    expect(matches('env in (prod,test)')).toBe(false);
    expect(matches('env notin (prod,test)', { env: 'dev' })).toBe(true);
    expect(matches('env notin (prod,test)', { env: 'prod' })).toBe(false);
    expect(matches('env notin (prod,test)')).toBe(true);
    expect(matches('env', { env: 'x' })).toBe(true);
    expect(matches('env', {})).toBe(false);
    expect(matches('!env', {})).toBe(true);
    expect(matches('!env', { env: 'x' })).toBe(false);
  });

  it('K-4: compares whole numbers, and does not match other labels', () => {
    expect(matches('size>3', { size: '4' })).toBe(true);
    expect(matches('size > 3', { size: '3' })).toBe(false);
    expect(matches('size<3', { size: '-4' })).toBe(true);
    expect(matches('size<10', { size: '9' })).toBe(true);
    expect(matches('size>0,size<9', { size: '9' })).toBe(false);
    expect(matches('size>0', { size: 'large' })).toBe(false);
    expect(matches('size<1')).toBe(false);
  });

  it('repeats no more than 200 bytes of a selector', () => {
    expect(() => parseLabelSelector('='.repeat(10_000))).toThrow(/^label selector "={197}…": expected a label key/);
  });

  it('K-4: matches if every requirement holds, and always if there are no requirements', () => {
    expect(
      matches('app.example.com/tier=web,!canary, env in (prod)', { 'app.example.com/tier': 'web', env: 'prod' }),
    ).toBe(true);
    expect(matches('a=b,c=d', { a: 'b' })).toBe(false);
    expect(matches('', { a: 'b' })).toBe(true);
    expect(matches('  ')).toBe(true);
  });

  it('accepts a key with the name of an operator', () => {
    expect(matches('in in (in)', { in: 'in' })).toBe(true);
    expect(matches('notin', { notin: '' })).toBe(true);
  });

  it('S-6: ignores inherited properties of the labels', () => {
    expect(matches('constructor', {})).toBe(false);
    expect(matches('!toString', {})).toBe(true);
  });

  it.each([
    ['=b', 'expected a label key, found "="'],
    ['a b', 'expected "," or the end, found "b"'],
    ['a=b,', 'expected a label key, found the end'],
    ['a in b', 'expected "(", found "b"'],
    ['a in (b', 'expected ")", found the end'],
    ['a=/x', 'expected a label value, found "/x"'],
    ['UPPER/a', 'expected a label key, found "UPPER/a"'],
    ['a>b', 'expected a whole number, found "b"'],
    ['a<1.5', 'expected a whole number, found "1.5"'],
  ])('refuses %j and names the position', (selector, message) => {
    expect(() => parseLabelSelector(selector)).toThrow(`label selector ${JSON.stringify(selector)}: ${message}`);
  });
});
