import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { KubeconfigError, NamespaceNotCachedError, parseLabelSelector } from '@mcr/client';
import { isPanic } from './panic.ts';
import { TerminalError } from '../controller/reconcile/terminal-error.ts';

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

class BadInput extends TypeError {
  override readonly name = 'BadInput';
}

describe('a panic', () => {
  it.each([
    ['a method of undefined', thrownBy(() => (undefined as unknown as Date).getTime())],
    ['an unknown variable', thrownBy(() => runInNewContext('unknown'))],
    ['an endless recursion', thrownBy(() => runInNewContext('(function f() { f() })()'))],
    ['a string', 'oops'],
    ['nothing', undefined],
    ['an object that is not an error', { message: 'oops' }],
  ])('RC-5: is %s', (_, thrown) => {
    expect(isPanic(thrown)).toBe(true);
  });

  it.each([
    ['an error', new Error('not yet')],
    ['an error with its own class', new BadInput('x')],
    ['an error of this project', new KubeconfigError('x')],
    ['a TerminalError', new TerminalError('x')],
    ['an error of fetch', new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })],
    ['an error of new URL', thrownBy(() => new URL('no url'))],
    ['a label selector that cannot be parsed', thrownBy(() => parseLabelSelector('='))],
    ['a read of a namespace that is not cached', new NamespaceNotCachedError('x')],
    ['an error of JSON.parse', thrownBy(() => JSON.parse('{') as unknown)],
  ])('RC-5: is not %s', (_, thrown) => {
    expect(isPanic(thrown)).toBe(false);
  });
});
