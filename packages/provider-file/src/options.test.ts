import { describe, expect, it } from '@jest/globals';
import { createFileProvider } from './file-provider.ts';

/** The function without its types, for calls from plain JavaScript. */
const make = (options: unknown) => createFileProvider(options as never);

describe('options of FileProvider', () => {
  it.each<[unknown, string]>([
    ['/path', 'expected options as a plain object such as { kubeconfigFiles: ["/path"] }, found a string'],
    [{ kubeconfigFiles: '/path' }, 'option "kubeconfigFiles": expected an array, found a string'],
    [{ debounce: -1 }, 'option "debounce": expected a number of milliseconds of at least 0, found -1'],
  ])('refuses %p and says what is accepted', (options, message) => {
    expect(() => make(options)).toThrow(`FileProvider: ${message}`);
  });
});
