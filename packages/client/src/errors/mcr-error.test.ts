import { describe, expect, it } from '@jest/globals';
import { ERROR_BRAND, hasBrand, McrError } from './mcr-error.ts';

class BrokenError extends McrError {
  override readonly name = 'BrokenError';
  readonly [ERROR_BRAND] = '@mcr/sample/BrokenError';
}

describe('hasBrand', () => {
  it('recognizes errors of a class and of its subclasses', () => {
    class MyError extends BrokenError {}
    expect(hasBrand(new BrokenError('broken'), '@mcr/sample/BrokenError')).toBe(true);
    expect(hasBrand(new MyError('broken'), '@mcr/sample/BrokenError')).toBe(true);
  });

  it('recognizes errors of another copy of the package', () => {
    const error = Object.assign(new Error('broken'), { [Symbol.for('mcr.dev/error')]: '@mcr/sample/BrokenError' });
    expect(hasBrand(error, '@mcr/sample/BrokenError')).toBe(true);
  });

  it.each([new BrokenError('broken'), new Error('broken'), 'broken', null, undefined])('rejects %p', (error) => {
    expect(hasBrand(error, '@mcr/sample/OtherError')).toBe(false);
  });

  it('leaves the JSON of an error as is', () => {
    expect(JSON.stringify(new BrokenError('broken'))).toBe('{"name":"BrokenError"}');
  });
});
