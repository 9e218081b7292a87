import { describe, expect, it } from '@jest/globals';
import { createKindProvider } from './kind-provider.ts';

/** The function without its types, for calls from plain JavaScript. */
const make = (options: unknown) => createKindProvider(options as never);

describe('options of KindProvider', () => {
  it.each<[unknown, string]>([
    ['mcr-', 'expected options as a plain object, found a string'],
    [{ pollInterval: 0 }, 'option "pollInterval": expected a number of milliseconds greater than 0, found 0'],
    [
      { containerRuntime: 'lxc' },
      'option "containerRuntime": expected one of "docker", "podman", "nerdctl", found "lxc"',
    ],
  ])('refuses %p and says what is accepted', (options, message) => {
    expect(() => make(options)).toThrow(`KindProvider: ${message}`);
  });
});
