import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parseKubeconfig } from './kubeconfig.ts';
import { base64, errorOf, pem, trusted, type Parts } from './kubeconfig.fixture.ts';
import { proxyUrlOf } from './proxy-auth.ts';

describe('parseKubeconfig', () => {
  it('reads YAML: the cluster and user of the current context', () => {
    const text = `
apiVersion: v1
kind: Config
current-context: one
preferences: {}
contexts:
- name: one
  context: { cluster: a, user: admin, namespace: x }
- name: two
  context: { cluster: b }
clusters:
- name: a
  cluster:
    server: https://a:6443/base
    tls-server-name: api.internal
    certificate-authority-data: ${base64(pem('CERTIFICATE'))}
- name: b
  cluster: { server: http://b }
users:
- name: admin
  user:
    client-certificate-data: ${base64(pem('CERTIFICATE'))}
    client-key-data: ${base64(pem('PRIVATE KEY'))}
`;
    expect(parseKubeconfig(text, { policy: 'untrusted' })).toEqual({
      server: 'https://a:6443/base',
      endpoints: { metadataAddresses: false },
      tls: {
        caData: pem('CERTIFICATE'),
        serverName: 'api.internal',
        certData: pem('CERTIFICATE'),
        keyData: pem('PRIVATE KEY'),
      },
    });
    expect(parseKubeconfig(text, { policy: 'trusted', context: 'two' })).toEqual({ server: 'http://b' });
  });

  it('reads each type of authentication', () => {
    expect(trusted({ user: { token: 't' } }).auth).toEqual({ type: 'token', token: 't' });
    expect(trusted({ user: { username: 'me', password: 'p' } }).auth).toEqual({
      type: 'basic',
      username: 'me',
      password: 'p',
    });
    expect(trusted({ user: { tokenFile: 'token', token: 'old' } }, { path: '/etc/kube/config' }).auth).toEqual({
      type: 'tokenFile',
      path: '/etc/kube/token',
    });
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './bin/login', args: ['-x'] };
    const env = [{ name: 'A', value: 'b' }];
    expect(trusted({ user: { exec: { ...exec, env } } }, { path: '/etc/kube/config' }).auth).toEqual({
      type: 'exec',
      ...exec,
      command: '/etc/kube/bin/login',
      env: { A: 'b' },
    });
    expect(trusted({ user: { exec: { ...exec, command: 'aws' } } }).auth).toMatchObject({ command: 'aws' });
  });

  it('reads the impersonated user, the proxy, and insecure-skip-tls-verify', () => {
    const user = { as: 'jane', 'as-uid': '7', 'as-groups': ['a'], 'as-user-extra': { scope: ['x'] } };
    const cluster = { 'proxy-url': 'http://proxy:3128', 'insecure-skip-tls-verify': true };
    expect(trusted({ user, cluster })).toEqual({
      server: 'https://h:6443',
      tls: { insecureSkipVerify: true },
      impersonate: { user: 'jane', uid: '7', groups: ['a'], extra: { scope: ['x'] } },
      proxyUrl: 'http://proxy:3128',
    });
  });

  it('resolves paths against the directory of a trusted kubeconfig, and does not read the files', () => {
    const cluster = { 'certificate-authority': 'ca.pem' };
    const user = { 'client-certificate': 'me.pem', 'client-key': '/keys/me.pem' };
    expect(trusted({ cluster, user }, { path: '/etc/kube/config' }).tls).toEqual({
      caFile: '/etc/kube/ca.pem',
      certFile: '/etc/kube/me.pem',
      keyFile: '/keys/me.pem',
    });
  });

  it('prefers data to a file, as kubectl does', () => {
    const cluster = { 'certificate-authority': 'ca.pem', 'certificate-authority-data': base64(pem('CERTIFICATE')) };
    expect(trusted({ cluster }).tls).toEqual({ caData: pem('CERTIFICATE') });
  });

  it('reads all fields of an exec plugin, and the extension of its cluster', () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: 'aws',
      provideClusterInfo: true,
      installHint: 'install it',
      interactiveMode: 'IfAvailable',
    };
    const extension = { audience: 'x' };
    const allowedCommands = [{ command: 'aws', args: [], clusterInfo: true }];
    const cluster = { extensions: [{ name: 'client.authentication.k8s.io/exec', extension }, { name: 'other' }] };
    expect(trusted({ user: { exec }, cluster }, { allowedCommands }).auth).toEqual({
      type: 'exec',
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: 'aws',
      provideClusterInfo: true,
      clusterInfoConfig: extension,
      installHint: 'install it',
      allowedCommands,
    });
  });

  it('reads an auth-provider', () => {
    const provider = { name: 'oidc', config: { 'id-token': 't' } };
    expect(trusted({ user: { 'auth-provider': provider } }).auth).toEqual({ type: 'authProvider', ...provider });
  });

  it.each<[string, Parts, string]>([
    [
      'no current context',
      { top: { 'current-context': '' } },
      'current-context: is not set: set it, or pass a context: one of "c"',
    ],
    [
      'an unknown context',
      { top: { 'current-context': 'x' } },
      'current-context: context "x" not found: expected one of "c"',
    ],
    [
      'an unknown cluster',
      { context: { cluster: 'x' } },
      'contexts[0].context.cluster: cluster "x" not found: expected one of "k"',
    ],
    [
      'an unknown user',
      { context: { user: 'x' } },
      'contexts[0].context.user: user "x" not found: expected one of "u"',
    ],
    ['no server', { cluster: { server: null } }, 'clusters[0].cluster.server: is not set'],
    ['a server that is not a URL', { cluster: { server: 'h:6443' } }, 'clusters[0].cluster.server: is not a URL'],
    [
      'a server with a password',
      { cluster: { server: 'https://me:canary@h' } },
      'clusters[0].cluster.server: contains a user name',
    ],
    ['a field of a wrong type', { cluster: { server: 7 } }, 'clusters[0].cluster.server: expected a string'],
    ['users that are not a list', { top: { users: 'canary' } }, 'users: expected an array'],
    [
      'a duplicate name',
      {
        top: {
          users: [
            { name: 'u', user: {} },
            { name: 'u', user: {} },
          ],
        },
      },
      'users[1].name: duplicate name "u"',
    ],
    [
      'invalid base64',
      { cluster: { 'certificate-authority-data': '!canary' } },
      'clusters[0].cluster.certificate-authority-data: is not a PEM in base64',
    ],
    [
      'base64 that is not a PEM',
      { user: { 'client-key-data': base64('canary') } },
      'users[0].user.client-key-data: is not a PEM in base64',
    ],
    [
      'a certificate without a key',
      { user: { 'client-certificate-data': base64(pem('CERTIFICATE')) } },
      'users[0].user.client-key-data: is not set',
    ],
    [
      'a key without a certificate',
      { user: { 'client-key-data': base64(pem('KEY')) } },
      'users[0].user.client-certificate-data: is not set',
    ],
    [
      'a certificate authority with insecure-skip-tls-verify',
      { cluster: { 'certificate-authority-data': base64(pem('CERTIFICATE')), 'insecure-skip-tls-verify': true } },
      'clusters[0].cluster.insecure-skip-tls-verify: is set together with',
    ],
    [
      'two types of authentication',
      { user: { token: 'canary', username: 'me', password: 'canary' } },
      'users[0].user.token: is set together with username',
    ],
    [
      'a plugin of an old version',
      { user: { exec: { apiVersion: 'client.authentication.k8s.io/v1alpha1', command: 'aws' } } },
      'users[0].user.exec.apiVersion: is not supported: expected client.authentication.k8s.io/v1 or',
    ],
    [
      'an interactive plugin',
      {
        user: {
          exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'aws', interactiveMode: 'Always' },
        },
      },
      'users[0].user.exec.interactiveMode: is Always',
    ],
    ['groups without a user', { user: { 'as-groups': ['a'] } }, 'users[0].user.as: is not set'],
  ])('refuses %s with an error that names the field and contains no credential', (_, parts, message) => {
    const error = errorOf(() => trusted(parts, { path: 'config' }));
    expect(error.message).toContain(`kubeconfig config: ${message}`);
    expect(inspect(error)).not.toContain('canary');
  });

  it.each(['http://p:3128', 'https://me:secret@p', 'socks5://p', 'socks5h://[::1]:1080'])(
    'accepts the proxy %s',
    (url) => expect(proxyUrlOf(trusted({ cluster: { 'proxy-url': url } }))).toBe(url),
  );

  it('S-4: refuses a value that is not a proxy URL without repeating it', () => {
    for (const url of ['canary', 'ftp://canary@p', 'socks4://canary@p']) {
      const error = errorOf(() => trusted({ cluster: { 'proxy-url': url } }));
      expect(error).toMatchObject({ field: 'clusters[0].cluster.proxy-url' });
      expect(error.message).not.toContain('canary');
    }
  });

  it('accepts a user without credentials, as kubectl does', () => {
    for (const user of ['', '\n  user:', '\n  user: {}']) {
      const text = [
        'current-context: x',
        'contexts: [{ name: x, context: { cluster: c, user: u } }]',
        'clusters: [{ name: c, cluster: { server: "https://h" } }]',
        `users:\n- name: u${user}`,
      ].join('\n');
      expect(parseKubeconfig(text, { policy: 'trusted' })).toEqual({ server: 'https://h' });
    }
  });
});
