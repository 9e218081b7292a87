import { describe, expect, it } from '@jest/globals';
import { createCapiProvider } from './capi-provider.ts';

/** The function without its types, for calls from plain JavaScript. */
const make = (options: unknown) => createCapiProvider(options as never);

describe('options of CapiProvider', () => {
  it.each<[unknown, string]>([
    ['fleet', 'expected options as a plain object, found a string'],
    [{ namespace: 'A_b' }, 'option "namespace": expected a namespace, which is at most 63 lower case letters'],
    [{ labelSelector: 'a=b=c' }, 'option "labelSelector": label selector "a=b=c": expected "," or the end, found "="'],
    [{ labelSelector: '' }, 'option "labelSelector": expected a label selector, found ""'],
    [{ apiVersions: ['v1'] }, 'option "apiVersions.0": expected one of'],
  ])('refuses %p and says what is accepted', (options, message) => {
    expect(() => make(options)).toThrow(`CapiProvider: ${message}`);
  });
});
