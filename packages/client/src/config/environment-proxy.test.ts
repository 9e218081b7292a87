import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { withEnvironmentProxy } from './environment-proxy.ts';
import { proxyUrlOf } from './proxy-auth.ts';

const HTTPS_PROXY = 'http://proxy:3128';

describe('withEnvironmentProxy', () => {
  it.each([
    [{ HTTPS_PROXY }, 'https://api', HTTPS_PROXY],
    [{ https_proxy: HTTPS_PROXY }, 'https://api', HTTPS_PROXY],
    [{ HTTPS_PROXY: 'proxy:3128' }, 'https://api', 'http://proxy:3128'],
    [{ HTTPS_PROXY: 'socks5://proxy' }, 'https://api', 'socks5://proxy'],
    [{ HTTPS_PROXY: 'me:word@proxy:3128' }, 'https://api', 'http://me:word@proxy:3128'],
    [{ HTTPS_PROXY, https_proxy: 'http://lower' }, 'https://api', HTTPS_PROXY],
    [{ HTTPS_PROXY: '' }, 'https://api', undefined],
    [{ HTTP_PROXY: 'http://plain' }, 'https://api', undefined],
    [{ HTTP_PROXY: 'http://plain', HTTPS_PROXY }, 'http://api', 'http://plain'],
    [{ HTTPS_PROXY }, 'https://localhost:6443', undefined],
    [{ HTTPS_PROXY }, 'https://127.0.0.2:6443', undefined],
    [{ HTTPS_PROXY }, 'https://[::1]:6443', undefined],
  ])('with %j, %s has the proxy %s', (env, server, proxyUrl) => {
    expect(proxyUrlOf(withEnvironmentProxy({ server }, env))).toBe(proxyUrl);
  });

  it.each([
    ['*', 'https://api', true],
    ['example.com', 'https://example.com', true],
    ['example.com', 'https://API.example.com', true],
    ['example.com', 'https://badexample.com', false],
    ['.example.com', 'https://example.com', false],
    ['.example.com', 'https://api.example.com', true],
    ['*.example.com', 'https://api.example.com', true],
    ['example.com:6443', 'https://example.com:6443', true],
    ['example.com:6443', 'https://example.com', false],
    ['example.com:443', 'https://example.com', true],
    ['10.0.0.0/8', 'https://10.1.2.3:6443', true],
    ['10.0.0.0/8', 'https://11.1.2.3:6443', false],
    ['10.0.0.0/8', 'https://api', false],
    ['10.0.0.1', 'https://10.0.0.1', true],
    ['10.0.0.1:6443', 'https://10.0.0.1:6443', true],
    ['[fd00::1]:6443', 'https://[fd00::1]:6443', true],
    ['fd00::/8', 'https://[fd00::1]', true],
    ['[fd00::1]', 'https://[fd00::1]', false],
    ['10.1.2.3/8', 'https://10.9.9.9', true],
    ['10.0.0.0/8:443', 'https://10.9.9.9', false],
    ['10.0.0.1', 'https://[::ffff:10.0.0.1]', true],
    ['.0.1', 'https://10.0.0.1', true],
    ['example.com:', 'https://example.com:6443', true],
    [':6443', 'https://example.com:6443', false],
    ['*example.com', 'https://api.example.com', false],
    ['api.example.com', 'https://example.com', false],
    ['example.com', 'https://example.com.', false],
    ['Müller.example', 'https://api.müller.example', true],
    [' a , Example.com,', 'https://example.com', true],
    ['', 'https://example.com', false],
    [',', 'https://example.com', false],
  ])('NO_PROXY=%j matches %s: %s', (NO_PROXY, server, listed) => {
    expect(withEnvironmentProxy({ server }, { HTTPS_PROXY, NO_PROXY }).proxyUrl === undefined).toBe(listed);
  });

  it('prefers the proxy of the config', () => {
    const config = { server: 'https://api', proxyUrl: 'http://own' };
    expect(withEnvironmentProxy(config, { HTTPS_PROXY, NO_PROXY: 'api' })).toBe(config);
  });

  it('S-4: refuses a value that is not a proxy URL without repeating it, and does not print the credentials in a URL', () => {
    for (const value of ['ftp://canary@proxy', 'http://canary:canary@', 'http://canary:x:y']) {
      expect(() => withEnvironmentProxy({ server: 'https://api' }, { HTTPS_PROXY: value })).toThrow(
        /^(?!.*canary).*\$HTTPS_PROXY/,
      );
    }
    const config = withEnvironmentProxy({ server: 'https://api' }, { HTTPS_PROXY: 'http://me:canary@proxy' });
    expect(inspect(config) + JSON.stringify(config)).not.toContain('canary');
  });
});
