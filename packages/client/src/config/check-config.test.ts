import { describe, expect, it } from '@jest/globals';
import { createTransport } from '../transport/create-transport.ts';
import { checkConfig } from './check-config.ts';

const server = 'https://127.0.0.1:6443';
const secret = 's3cret';

describe('checkConfig', () => {
  it.each<[string, unknown, string]>([
    [
      'nothing',
      undefined,
      'expected a ClusterConfig, found undefined: pass { server: "https://..." } or the result of loadKubeconfig()',
    ],
    [
      'a path',
      '/etc/kubeconfig',
      'found a string: pass { server: "https://..." } or the result of loadKubeconfig({ path })',
    ],
    ['a list', [], 'expected a ClusterConfig'],
    ['no server', {}, 'ClusterConfig: option "server": expected a string, found undefined'],
    [
      'a token as auth',
      { server, auth: secret },
      'option "auth": expected an object such as { type: "token", token }, found a string',
    ],
    [
      'auth without a type',
      { server, auth: { token: secret } },
      'option "auth.type": expected one of "token", "tokenFile", "basic"',
    ],
    ['an unknown auth.type', { server, auth: { type: secret } }, 'option "auth.type": expected one of "token",'],
    [
      'an authProvider without config',
      { server, auth: { type: 'authProvider', name: 'oidc' } },
      'option "auth.config": expected an object, found undefined',
    ],
    [
      'an auth.type that is a property of every object',
      { server, auth: { type: 'constructor' } },
      'option "auth.type": expected one of "token",',
    ],
    [
      'auth without a token',
      { server, auth: { type: 'token' } },
      'option "auth.token": expected a string, found undefined',
    ],
    [
      'a token of a wrong type',
      { server, auth: { type: 'token', token: 1 } },
      'option "auth.token": expected a string, found a number',
    ],
    [
      'an unknown field of auth',
      { server, auth: { type: 'token', tokn: secret } },
      'unknown option "auth.tokn": use only type, token',
    ],
    ['an unknown field of tls', { server, tls: { ca: secret } }, 'unknown option "tls.ca": use only caData, caFile,'],
    [
      'bytes as PEM',
      { server, tls: { caData: Buffer.from(secret) } },
      'option "tls.caData": expected a string, found an object of class Buffer',
    ],
    ['an unknown field', { server, token: secret }, 'unknown option "token": use only server, tls, auth,'],
    [
      'a group as text',
      { server, impersonate: { user: 'a', groups: 'b' } },
      'option "impersonate.groups": expected an array, found a string',
    ],
    ['null', { server, auth: null }, 'option "auth": expected an object such as { type: "token", token }, found null'],
  ])('refuses %s with an error that names the field and does not contain its value', (_, config, message) => {
    let error: unknown;
    try {
      checkConfig(config);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toContain(secret);
  });

  it('checks the config of a new transport and the config of a rotation', async () => {
    expect(() => createTransport({ server, auth: secret } as never)).toThrow('option "auth": expected an object');
    await using transport = createTransport({ server });
    await expect(transport.rotate({ server, auth: { token: secret } } as never)).rejects.toThrow(
      'option "auth.type": expected',
    );
  });
});
