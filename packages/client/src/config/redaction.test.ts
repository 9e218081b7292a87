import { format, inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { Auth, ClusterConfig } from './cluster-config.ts';
import { proxyUrlOf } from './proxy-auth.ts';
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

  it('does not change the values', () => {
    const config: ClusterConfig = { server: 'https://h', auth: { type: 'token', token: 't' }, tls: { keyData: 'k' } };
    expect(printable(config)).toEqual(config);
    expect(structuredClone(printable(config))).toEqual(config);
    expect(printable({ server: 'https://h' })).toEqual({ server: 'https://h' });
  });
});

it('S-4, S-13: hides the user name and password of a proxy, also in copies, and shows the proxy', () => {
  const config = printable({
    server: 'https://h',
    proxyUrl: 'http://canary:can@ry%2F@proxy:3128',
    auth: { type: 'token', token: 'canary' },
  });
  for (const value of [config, { ...config }, { config }, Object.assign({}, config), printable({ ...config })]) {
    for (const text of [
      inspect(value, { depth: Infinity, showHidden: true }),
      JSON.stringify(value),
      format('%o', value),
    ]) {
      expect(text).toContain('http://proxy:3128');
      expect(text).not.toMatch(/canary|can@ry/);
    }
  }
  expect(config.proxyAuth).toEqual({ username: 'canary', password: 'can@ry/' });
  expect(proxyUrlOf(config)).toBe('http://canary:can%40ry%2F@proxy:3128');
});

it.each(['http:canary:canary@proxy', 'http:\\\\canary:canary@proxy', 'http://can\nary:canary@proxy', 'canary@proxy'])(
  'S-4: hides the user name and password in an unusual proxy URL (%j)',
  (proxyUrl) => {
    const config = printable({ server: 'https://h', proxyUrl });
    expect(inspect(config)).toMatch(/^(?![^]*(can|ary))[^]*proxy/);
  },
);
