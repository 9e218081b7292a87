import { format, inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { Auth, ClusterConfig } from './cluster-config.ts';
import { printable } from './redaction.ts';

const ways: readonly Auth[] = [
  { type: 'token', token: 'canary' },
  { type: 'basic', username: 'me', password: 'canary' },
  { type: 'exec', apiVersion: 'v1', command: 'aws', args: ['canary'], env: { SECRET: 'canary' } },
];

describe('printable', () => {
  it.each(ways)('S-4: shows no credential of $type, however it is printed', (auth) => {
    const config = printable({ server: 'https://h', auth, tls: { caData: 'authority', keyData: 'canary' } });
    const spread: ClusterConfig = { ...config, userAgent: 'mine' };
    for (const value of [config, spread, [config], { deep: { deeper: { config } } }, config.auth, config.tls]) {
      expect(inspect(value, { depth: Infinity, showHidden: true })).not.toContain('canary');
      expect(JSON.stringify(value)).not.toContain('canary');
      expect(format('%o %O %j', value, value, value)).not.toContain('canary');
    }
    expect(inspect(spread, { depth: Infinity })).toContain('[redacted]');
    expect(JSON.stringify(spread)).toContain('"caData":"authority"');
  });

  it('leaves the values as they are', () => {
    const config: ClusterConfig = { server: 'https://h', auth: { type: 'token', token: 't' }, tls: { keyData: 'k' } };
    expect(printable(config)).toEqual(config);
    expect(structuredClone(printable(config))).toEqual(config);
    expect(printable({ server: 'https://h' })).toEqual({ server: 'https://h' });
  });
});

it('S-4: hides the user name and password of a proxy, and shows the proxy', () => {
  const config = printable({
    server: 'https://h',
    proxyUrl: 'http://canary:can@ry@proxy:3128',
    auth: { type: 'token', token: 'canary' },
  });
  for (const text of [inspect(config), JSON.stringify(config), inspect({ config })]) {
    expect(text).toContain('http://[redacted]@proxy:3128');
    expect(text).not.toMatch(/canary|can@ry/);
  }
  expect(printable(config).proxyUrl).toBe('http://canary:can@ry@proxy:3128');
  expect(JSON.stringify(printable(printable(config)))).not.toContain('canary');
});

it.each(['http:canary:canary@proxy', 'http:\\\\canary:canary@proxy', 'http://can\nary:canary@proxy', 'canary@proxy'])(
  'S-4: hides them in a URL of a proxy that is written unusually, too (%j)',
  (proxyUrl) => {
    const config = printable({ server: 'https://h', proxyUrl });
    expect(inspect(config)).toMatch(/^(?![^]*(can|ary))[^]*\[redacted\]@proxy/);
  },
);
