import { describe, expect, it } from '@jest/globals';
import { createInventoryProvider } from './inventory-provider.ts';

/** The function without its types, for calls from plain JavaScript. */
const make = (options: unknown) => createInventoryProvider(options as never);

describe('options of InventoryProvider', () => {
  it.each<[unknown, string]>([
    [undefined, 'expected options as a plain object such as { secret: { consumerName: ... } }, found undefined'],
    [
      { secret: { consumerName: 'a' }, namespace: 'A_b' },
      'option "namespace": expected a namespace, which is at most 63 lower case letters',
    ],
    [{ secret: { consumerName: '-a' } }, 'option "secret.consumerName": expected a label value, which is'],
    [
      { secret: { consumerName: 'a' }, requeueWhenNotReady: 0 },
      'option "requeueWhenNotReady": expected a number of milliseconds greater than 0, found 0',
    ],
    [{ accessProviders: 5 }, 'option "accessProviders": expected a string, or an array, found a number'],
  ])('refuses %p and says what is accepted', (options, message) => {
    expect(() => make(options)).toThrow(`InventoryProvider: ${message}`);
  });
});
