import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inClusterConfig } from './in-cluster-config.ts';
import { parseKubeconfig, type ParseKubeconfigOptions } from './kubeconfig.ts';
import { isKubeconfigError } from './kubeconfig-error.ts';
import { loadKubeconfig } from './load-kubeconfig.ts';

const pem = (label: string) => `-----BEGIN ${label}-----\ncanary\n-----END ${label}-----\n`;
const base64 = (text: string) => Buffer.from(text).toString('base64');

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly context?: object;
  readonly top?: object;
}

/** JSON is YAML too. */
function kubeconfig({ cluster, user, context, top }: Parts = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', ...context } }],
    clusters: [{ name: 'k', cluster: { server: 'https://h:6443', ...cluster } }],
    users: [{ name: 'u', user: user ?? { token: 'canary' } }],
    ...top,
  });
}

const trusted = (parts: Parts, options: Partial<ParseKubeconfigOptions> = {}) =>
  parseKubeconfig(kubeconfig(parts), { policy: 'trusted', ...options });

function errorOf(run: () => unknown) {
  try {
    run();
  } catch (error) {
    if (isKubeconfigError(error)) return error;
    throw error;
  }
  throw new Error('expected a KubeconfigError');
}

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
});
afterAll(() => rm(directory, { recursive: true }));

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

  it('reads each way to authenticate', () => {
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

  it('reads whom to impersonate, the proxy, and a server that is not checked', () => {
    const user = { as: 'jane', 'as-uid': '7', 'as-groups': ['a'], 'as-user-extra': { scope: ['x'] } };
    const cluster = { 'proxy-url': 'http://proxy:3128', 'insecure-skip-tls-verify': true };
    expect(trusted({ user, cluster })).toEqual({
      server: 'https://h:6443',
      tls: { insecureSkipVerify: true },
      impersonate: { user: 'jane', uid: '7', groups: ['a'], extra: { scope: ['x'] } },
      proxyUrl: 'http://proxy:3128',
    });
  });

  it('leaves files unread that a trusted one names, from where it stands, so that they can change', () => {
    const cluster = { 'certificate-authority': 'ca.pem' };
    const user = { 'client-certificate': 'me.pem', 'client-key': '/keys/me.pem' };
    expect(trusted({ cluster, user }, { path: '/etc/kube/config' }).tls).toEqual({
      caFile: '/etc/kube/ca.pem',
      certFile: '/etc/kube/me.pem',
      keyFile: '/keys/me.pem',
    });
  });

  it('takes data that stands beside a file, as kubectl does', () => {
    const cluster = { 'certificate-authority': 'ca.pem', 'certificate-authority-data': base64(pem('CERTIFICATE')) };
    expect(trusted({ cluster }).tls).toEqual({ caData: pem('CERTIFICATE') });
  });

  it('reads all of an exec plugin, with what its cluster tells it', () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: 'aws',
      provideClusterInfo: true,
      installHint: 'install it',
      interactiveMode: 'IfAvailable',
    };
    const extension = { audience: 'x' };
    const cluster = { extensions: [{ name: 'client.authentication.k8s.io/exec', extension }, { name: 'other' }] };
    expect(trusted({ user: { exec }, cluster }, { allowedCommands: ['aws'] }).auth).toEqual({
      type: 'exec',
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: 'aws',
      provideClusterInfo: true,
      clusterInfoConfig: extension,
      installHint: 'install it',
      allowedCommands: ['aws'],
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
      'current-context: is not set: set it to a context, or choose one of "c"',
    ],
    [
      'an unknown context',
      { top: { 'current-context': 'x' } },
      'current-context: there is no context "x": expected one of "c"',
    ],
    [
      'an unknown cluster',
      { context: { cluster: 'x' } },
      'contexts[0].context.cluster: there is no cluster "x": expected one of "k"',
    ],
    [
      'an unknown user',
      { context: { user: 'x' } },
      'contexts[0].context.user: there is no user "x": expected one of "u"',
    ],
    ['no server', { cluster: { server: null } }, 'clusters[0].cluster.server: is not set'],
    ['a server that is no URL', { cluster: { server: 'h:6443' } }, 'clusters[0].cluster.server: is not a URL'],
    [
      'a server with a password',
      { cluster: { server: 'https://me:canary@h' } },
      'clusters[0].cluster.server: holds a user name',
    ],
    [
      'a field of another type',
      { cluster: { server: 7 } },
      'clusters[0].cluster.server: Invalid input: expected string',
    ],
    ['a list that is none', { top: { users: 'canary' } }, 'users: Invalid input: expected array'],
    [
      'a name that stands twice',
      {
        top: {
          users: [
            { name: 'u', user: {} },
            { name: 'u', user: {} },
          ],
        },
      },
      'users[1].name: the name "u" stands twice',
    ],
    [
      'invalid base64',
      { cluster: { 'certificate-authority-data': '!canary' } },
      'clusters[0].cluster.certificate-authority-data: is not a PEM in base64',
    ],
    [
      'base64 of what is no PEM',
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
      'an authority for what is not checked',
      { cluster: { 'certificate-authority-data': base64(pem('CERTIFICATE')), 'insecure-skip-tls-verify': true } },
      'clusters[0].cluster.insecure-skip-tls-verify: stands beside',
    ],
    [
      'two ways to authenticate',
      { user: { token: 'canary', username: 'me', password: 'canary' } },
      'users[0].user.token: stands beside username',
    ],
    [
      'a plugin of a former version',
      { user: { exec: { apiVersion: 'client.authentication.k8s.io/v1alpha1', command: 'aws' } } },
      'users[0].user.exec.apiVersion: is not spoken here: expected client.authentication.k8s.io/v1 or',
    ],
    [
      'a plugin that wants to ask somebody',
      {
        user: {
          exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'aws', interactiveMode: 'Always' },
        },
      },
      'users[0].user.exec.interactiveMode: is Always',
    ],
    ['groups of nobody', { user: { 'as-groups': ['a'] } }, 'users[0].user.as: is not set'],
  ])('names the field of %s, and shows no credential', (_, parts, message) => {
    const error = errorOf(() => trusted(parts, { path: 'config' }));
    expect(error.message).toContain(`kubeconfig config: ${message}`);
    expect(inspect(error)).not.toContain('canary');
  });

  it.each([
    'exec',
    'auth-provider',
    'tokenFile',
    'client-certificate',
    'client-key',
    'as',
    'as-uid',
    'as-groups',
    'as-user-extra',
  ] as const)('S-1: refuses users[].user.%s of an untrusted kubeconfig', (field) => {
    const values = {
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'canary' },
      'auth-provider': { name: 'gcp' },
      'as-groups': ['canary'],
      'as-user-extra': { canary: ['canary'] },
    };
    const user = { token: 'canary', [field]: field in values ? values[field as keyof typeof values] : 'canary' };
    const error = errorOf(() => parseKubeconfig(kubeconfig({ user }), { policy: 'untrusted' }));
    expect(error.field).toBe(`users[0].user.${field}`);
    expect(error.message).toContain('is refused in an untrusted kubeconfig');
    expect(inspect(error)).not.toContain('canary');
  });

  it.each([
    ['certificate-authority', '/etc/passwd'],
    ['proxy-url', 'http://proxy'],
    ['insecure-skip-tls-verify', true],
  ])('S-1: refuses clusters[].cluster.%s of an untrusted kubeconfig', (field, value) => {
    const error = errorOf(() => parseKubeconfig(kubeconfig({ cluster: { [field]: value } }), { policy: 'untrusted' }));
    expect(error.field).toBe(`clusters[0].cluster.${field}`);
  });

  it('S-1: takes from an untrusted kubeconfig what code allows, and no more', () => {
    const user = { tokenFile: '/token', as: 'jane' };
    const parse = (allow: ParseKubeconfigOptions['allow']) =>
      parseKubeconfig(kubeconfig({ user }), { policy: 'untrusted', ...(allow && { allow }) });
    expect(errorOf(() => parse(['tokenFile'])).field).toBe('users[0].user.as');
    expect(parse(['tokenFile', 'as'])).toEqual({
      server: 'https://h:6443',
      auth: { type: 'tokenFile', path: '/token' },
      impersonate: { user: 'jane' },
      endpoints: { metadataAddresses: false },
    });
  });

  describe('with exec allowed', () => {
    const plugin = (exec: object, allowedCommands?: readonly string[]) => () =>
      parseKubeconfig(kubeconfig({ user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', ...exec } } }), {
        policy: 'untrusted',
        allow: ['exec'],
        ...(allowedCommands && { allowedCommands }),
      });

    it('S-2: demands a list of commands', () => {
      expect(errorOf(plugin({ command: 'aws' })).message).toBe(
        'kubeconfig: users[0].user.exec: is allowed in an untrusted kubeconfig only with a list of plugins: give allowedCommands',
      );
    });

    it.each(['aws ', 'AWS', './aws', 'aws;id', '/tmp/aws', '../usr/bin/aws'])(
      'S-2: refuses the command %j',
      (command) => {
        expect(errorOf(plugin({ command }, ['aws', '/usr/bin/aws'])).field).toBe('users[0].user.exec.command');
      },
    );

    it('S-2: takes a command of the list, by its name or its absolute path', () => {
      for (const command of ['aws', '/usr/bin/aws', '/usr/lib/../bin/aws']) {
        expect(plugin({ command }, ['aws', '/usr/bin/aws'])().auth).toMatchObject({ type: 'exec' });
      }
    });

    it.each(['PATH', 'LD_PRELOAD', 'DYLD_INSERT_LIBRARIES', 'NODE_OPTIONS', 'PYTHONPATH', 'BASH_ENV', 'path'])(
      'S-2: refuses the variable %s, by which another program could be run',
      (name) => {
        const error = errorOf(plugin({ command: 'aws', env: [{ name, value: 'canary' }] }, ['aws']));
        expect(error.field).toBe('users[0].user.exec.env');
        expect(inspect(error)).not.toContain('canary');
      },
    );
  });

  it('S-1: takes an auth-provider that is allowed only when it runs no commands', () => {
    const parse = (name: string) =>
      parseKubeconfig(kubeconfig({ user: { 'auth-provider': { name, config: { 'cmd-path': 'canary' } } } }), {
        policy: 'untrusted',
        allow: ['auth-provider'],
      });
    expect(parse('oidc').auth).toMatchObject({ type: 'authProvider' });
    expect(errorOf(() => parse('gcp')).field).toBe('users[0].user.auth-provider.name');
  });

  it('S-1: keeps nothing of an untrusted kubeconfig but the fields it knows', () => {
    const config = parseKubeconfig(kubeconfig({ cluster: { unknown: 1, extensions: [] } }), { policy: 'untrusted' });
    expect(config).toEqual({
      server: 'https://h:6443',
      auth: { type: 'token', token: 'canary' },
      endpoints: { metadataAddresses: false },
    });
  });

  it.each(['169.254.169.254', '[::ffff:169.254.169.254]', '[fe80::1]', '0xa9.254.43518', '0.0.0.0:6443'])(
    'S-3: refuses the server %s in an untrusted kubeconfig',
    (host) => {
      const text = kubeconfig({ cluster: { server: `https://${host}` } });
      expect(errorOf(() => parseKubeconfig(text, { policy: 'untrusted' }))).toMatchObject({
        field: 'clusters[0].cluster.server',
        message: expect.stringMatching(/is refused: .* is a link-local, metadata or multicast address/),
      });
      const endpoints = { metadataAddresses: true };
      expect(parseKubeconfig(text, { policy: 'untrusted', endpoints }).endpoints).toEqual(endpoints);
      expect(parseKubeconfig(text, { policy: 'trusted' }).endpoints).toBeUndefined();
    },
  );

  it('S-3: holds a server to the rules of the caller, and adds that of metadata to them when it is untrusted', () => {
    const endpoints = { allow: ['10.0.0.0/8', '*.example.com'] };
    const parse = (server: string, policy: 'trusted' | 'untrusted') =>
      parseKubeconfig(kubeconfig({ cluster: { server } }), { policy, endpoints }).endpoints;
    expect(parse('https://10.1.2.3:6443', 'trusted')).toEqual(endpoints);
    expect(parse('https://10.1.2.3:6443', 'untrusted')).toEqual({ metadataAddresses: false, ...endpoints });
    expect(errorOf(() => parse('https://11.1.2.3', 'trusted')).field).toBe('clusters[0].cluster.server');
    // What a name leads to is checked by the connection.
    expect(parse('https://api.elsewhere', 'trusted')).toEqual(endpoints);
  });

  it.each(['http://p:3128', 'https://me:secret@p', 'socks5://p', 'socks5h://[::1]:1080'])('takes the proxy %s', (url) =>
    expect(trusted({ cluster: { 'proxy-url': url } }).proxyUrl).toBe(url),
  );

  it('S-4: refuses what is no URL of a proxy, unseen', () => {
    for (const url of ['canary', 'ftp://canary@p', 'socks4://canary@p']) {
      const error = errorOf(() => trusted({ cluster: { 'proxy-url': url } }));
      expect(error).toMatchObject({ field: 'clusters[0].cluster.proxy-url' });
      expect(error.message).not.toContain('canary');
    }
  });

  it('takes a user that is named only for one without credentials, as kubectl does', () => {
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

  it('S-6: refuses a text of more than 1 MiB', () => {
    const text = kubeconfig({ top: { comment: 'x'.repeat(1024 * 1024) } });
    expect(errorOf(() => parseKubeconfig(text, { policy: 'untrusted' })).message).toBe(
      'kubeconfig: is larger than 1048576 bytes',
    );
  });

  it.each([
    'a: ',
    '- ',
    '[',
    ']',
    '{a: b,',
    '! ',
    '&a ',
    '? ',
    '"" ',
    '#\n',
    '\n',
    '%a\n',
    '---\n',
    'a: b\n',
    '- a:\n',
  ])('S-6: does not begin to parse a megabyte of %j', (part) => {
    const text = `a: ${part.repeat(1024 * 1024)}`.slice(0, 1024 * 1024);
    expect(errorOf(() => parseKubeconfig(text, { policy: 'untrusted' })).message).toBe(
      'kubeconfig: holds more than 10000 marks, of which one cluster takes less than a hundred',
    );
  });

  it('S-6: refuses aliases that multiply, and nesting without end', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 9; i += 1)
      lines.push(
        `a${i}: &a${i} [${Array(9)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    for (const text of [
      lines.join('\n'),
      '['.repeat(20_000),
      '- '.repeat(20_000),
      `${'{a: '.repeat(2_000)}b${'}'.repeat(2_000)}`,
    ]) {
      expect(errorOf(() => parseKubeconfig(text, { policy: 'untrusted' })).message).toMatch(/^kubeconfig: /);
    }
  });

  it('S-6: keeps the names __proto__ and constructor plain data', () => {
    const text = kubeconfig()
      .replaceAll('"c"', '"__proto__"')
      .replaceAll('"k"', '"constructor"')
      .replace('"token"', '"__proto__":{"polluted":1},"token"');
    expect(parseKubeconfig(text, { policy: 'untrusted' })).toEqual({
      server: 'https://h:6443',
      auth: { type: 'token', token: 'canary' },
      endpoints: { metadataAddresses: false },
    });
    expect({}).not.toHaveProperty('polluted');
    expect(
      errorOf(() => parseKubeconfig(kubeconfig({ context: { cluster: 'toString' } }), { policy: 'untrusted' })).field,
    ).toBe('contexts[0].context.cluster');
  });

  it('S-4: names the line of text that is not YAML, and shows nothing of it', () => {
    const error = errorOf(() => parseKubeconfig('a: b\nusers: [canary\n  "canary', { policy: 'trusted' }));
    expect(error.message).toMatch(/^kubeconfig: is not valid YAML at line \d/);
    expect(inspect(error)).not.toContain('canary');
    expect(errorOf(() => parseKubeconfig(' \n', { policy: 'trusted' })).message).toBe('kubeconfig: is empty');
    expect(errorOf(() => parseKubeconfig('canary', { policy: 'trusted' })).message).toBe(
      'kubeconfig: is no kubeconfig: expected the fields clusters, contexts and users',
    );
  });
});

describe('loadKubeconfig', () => {
  const write = async (name: string, parts: Parts) => {
    const path = join(directory, name);
    await writeFile(path, kubeconfig(parts));
    return path;
  };

  it('reads one file, and names it in errors', async () => {
    const path = await write('one', {});
    expect(loadKubeconfig({ path }).server).toBe('https://h:6443');
    expect(errorOf(() => loadKubeconfig({ path, context: 'x' })).message).toContain(`kubeconfig ${path}: `);
    expect(errorOf(() => loadKubeconfig({ path: '/does/not/exist' })).message).toBe(
      'kubeconfig /does/not/exist: there is no such file',
    );
  });

  it('merges the files of $KUBECONFIG as kubectl does: the first of a name counts, missing files do not', async () => {
    const first = await write('first', {
      cluster: { server: 'https://first' },
      top: { 'current-context': '', users: [] },
    });
    const second = await write('second', { cluster: { server: 'https://second' }, user: { tokenFile: 'token' } });
    const env = { KUBECONFIG: ['/does/not/exist', first, second].join(delimiter) };
    expect(loadKubeconfig({ env })).toEqual({
      server: 'https://first',
      auth: { type: 'tokenFile', path: join(directory, 'token') },
    });
  });

  it('says what to do when there is none', () => {
    expect(errorOf(() => loadKubeconfig({ env: { KUBECONFIG: '/nowhere' } })).message).toBe(
      'kubeconfig /nowhere: $KUBECONFIG: there is no such file',
    );
    expect(errorOf(() => loadKubeconfig({ env: { HOME: '/nowhere' } })).message).toMatch(
      /there is none: set \$KUBECONFIG/,
    );
  });

  it('reads the service account of a pod', async () => {
    await writeFile(join(directory, 'ca.crt'), pem('CERTIFICATE'));
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    expect(inClusterConfig({ env, directory })).toEqual({
      server: 'https://[fd00::1]:443',
      tls: { caFile: join(directory, 'ca.crt') },
      auth: { type: 'tokenFile', path: join(directory, 'token') },
    });
    expect(errorOf(() => inClusterConfig({ env: {} })).message).toMatch(/not in a pod: KUBERNETES_SERVICE_HOST/);
  });
});
