import { describe, expect, it } from '@jest/globals';
import type { ClusterConfig } from './cluster-config.ts';
import { configChange, configsEqual } from './config-change.ts';
import { printable } from './redaction.ts';

const config: ClusterConfig = {
  server: 'https://h:6443',
  tls: { caData: 'ca', certData: 'cert', keyData: 'key' },
  auth: { type: 'token', token: 't' },
};

describe('configChange', () => {
  it.each<[string, ClusterConfig]>([
    ['the same values', { ...config, tls: { ...config.tls }, auth: { type: 'token', token: 't' } }],
    ['a printable copy', printable(config)],
    ['a slash at the end of the server', { ...config, server: 'https://h:6443/' }],
    ['verification set explicitly', { ...config, tls: { ...config.tls, insecureSkipVerify: false } }],
  ])('returns none for %s', (_, other) => {
    expect(configChange(config, other)).toBe('none');
    expect(configsEqual(config, other)).toBe(true);
  });

  it('S-15: takes linear time for a server URL with many slashes', () => {
    const server = `https://h/${'/'.repeat(250_000)}x`;
    const before = process.threadCpuUsage();
    expect(configChange({ ...config, server }, { ...config, server: `${server}//` })).toBe('none');
    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
  });

  it.each<[string, ClusterConfig]>([
    ['token', { ...config, auth: { type: 'token', token: 'other' } }],
    ['type of auth', { ...config, auth: { type: 'tokenFile', path: 't' } }],
    ['client certificate', { ...config, tls: { ...config.tls, certData: 'other' } }],
    ['client key', { ...config, tls: { ...config.tls, keyData: 'other' } }],
    ['impersonated user', { ...config, impersonate: { user: 'jane' } }],
    ['user agent', { ...config, userAgent: 'x' }],
  ])('returns credentials for another %s', (_, other) => {
    expect(configChange(config, other)).toBe('credentials');
  });

  it.each<[string, ClusterConfig]>([
    ['server', { ...config, server: 'https://h:6444' }],
    ['base path', { ...config, server: 'https://h:6443/other' }],
    ['certificate authority', { ...config, tls: { ...config.tls, caData: 'other' } }],
    ['server name', { ...config, tls: { ...config.tls, serverName: 'other' } }],
    ['verification', { ...config, tls: { ...config.tls, insecureSkipVerify: true } }],
    ['proxy', { ...config, proxyUrl: 'http://p' }],
    ['server and token', { ...config, server: 'https://x', auth: { type: 'token', token: 'other' } }],
  ])('returns endpoint for another %s', (_, other) => {
    expect(configChange(config, other)).toBe('endpoint');
  });
});
