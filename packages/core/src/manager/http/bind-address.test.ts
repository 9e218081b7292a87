import { describe, expect, it } from '@jest/globals';
import { isLoopback, parseBindAddress } from './bind-address.ts';

describe('a bind address', () => {
  it.each([
    [':8080', { text: ':8080', port: 8080 }, false],
    ['0.0.0.0:8080', { text: '0.0.0.0:8080', host: '0.0.0.0', port: 8080 }, false],
    ['127.0.0.1:0', { text: '127.0.0.1:0', host: '127.0.0.1', port: 0 }, true],
    ['localhost:8080', { text: 'localhost:8080', host: 'localhost', port: 8080 }, true],
    ['[::1]:8080', { text: '[::1]:8080', host: '::1', port: 8080 }, true],
    ['[::]:8080', { text: '[::]:8080', host: '::', port: 8080 }, false],
  ])('%s is understood as Go does', (text, expected, loopback) => {
    const address = parseBindAddress(text);
    expect(address).toEqual(expected);
    expect(isLoopback(expected)).toBe(loopback);
  });

  it('MG-6: "0" means that the server is off', () => {
    expect(parseBindAddress('0')).toBe('nowhere');
  });

  it.each(['', '8080', ':', 'localhost', ':80800', '::1:8080', ':8o80'])('refuses %j', (text) => {
    expect(parseBindAddress(text)).toBeNull();
  });
});
