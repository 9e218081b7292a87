import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { AllowedCommand } from './allowed-command.ts';
import { parseKubeconfig, type ParseKubeconfigOptions } from './kubeconfig.ts';
import { errorOf, kubeconfig } from './kubeconfig.fixture.ts';

describe('an untrusted kubeconfig', () => {
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

  it('S-1: accepts only the fields that code allows', () => {
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
    const plugin = (exec: object, allowedCommands?: readonly AllowedCommand[]) => () =>
      parseKubeconfig(kubeconfig({ user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', ...exec } } }), {
        policy: 'untrusted',
        allow: ['exec'],
        ...(allowedCommands && { allowedCommands }),
      });

    const aws: AllowedCommand = { command: 'aws', args: [] };

    it('S-2: requires a list of commands', () => {
      expect(errorOf(plugin({ command: 'aws' })).message).toBe(
        'kubeconfig: users[0].user.exec: is allowed in an untrusted kubeconfig only with a list of plugins: set allowedCommands',
      );
    });

    it.each(['aws ', 'AWS', './aws', 'aws;id', '/tmp/aws', '../usr/bin/aws'])(
      'S-2: refuses the command %j',
      (command) => {
        expect(errorOf(plugin({ command }, [aws, { ...aws, command: '/usr/bin/aws' }])).field).toBe(
          'users[0].user.exec.command',
        );
      },
    );

    it('S-2: accepts a listed command, by its name or its absolute path', () => {
      for (const command of ['aws', '/usr/bin/aws', '/usr/lib/../bin/aws']) {
        expect(plugin({ command }, [aws, { ...aws, command: '/usr/bin/aws' }])().auth).toMatchObject({ type: 'exec' });
      }
    });

    it.each([
      'PATH',
      'HOME',
      'LD_PRELOAD',
      'NODE_OPTIONS',
      'BASH_ENV',
      'AWS_CONFIG_FILE',
      'AWS_PROFILE',
      'CLOUDSDK_CONFIG',
      'KUBECONFIG',
      'HTTPS_PROXY',
      'SSL_CERT_FILE',
      'aws_region',
      '__proto__',
    ])('S-2, S-12: refuses the variable %s, which the entry does not list', (name) => {
      const allowed = { ...aws, env: { AWS_REGION: { pattern: '[a-z\\d-]+' } } };
      const env = [
        { name: 'AWS_REGION', value: 'eu-west-1' },
        { name, value: 'canary' },
      ];
      const error = errorOf(plugin({ command: 'aws', env }, [allowed]));
      expect(error.message).toMatch(/users\[0\].user.exec.env: sets ".*", which is not an allowed variable/);
      expect(inspect(error)).not.toContain('canary');
      expect(plugin({ command: 'aws', env: env.slice(0, 1) }, [allowed])().auth).toMatchObject({
        env: { AWS_REGION: 'eu-west-1' },
      });
    });

    it('S-12: passes cluster information to a plugin only if the entry allows it', () => {
      const exec = { command: 'aws', provideClusterInfo: true };
      expect(errorOf(plugin(exec, [aws])).message).toBe(
        'kubeconfig: users[0].user.exec.provideClusterInfo: is true, but the plugin may not receive cluster information: remove it, or set clusterInfo in code',
      );
      expect(plugin(exec, [{ ...aws, clusterInfo: true }])().auth).toMatchObject({ provideClusterInfo: true });
      expect(plugin({ ...exec, provideClusterInfo: false }, [aws])().auth).not.toHaveProperty('provideClusterInfo');
    });

    it('S-12: reports the position of an argument that is not allowed, without quoting it', () => {
      const allowed = { command: 'aws', args: ['eks', 'get-token', '--cluster-name', { pattern: '[a-z]+' }] };
      const error = errorOf(plugin({ command: 'aws', args: ['eks', 'get-token', 'canary'] }, [allowed]));
      expect(error.message).toBe(
        'kubeconfig: users[0].user.exec.args: [2] is not allowed at this position: change it, or allow it in code',
      );
    });
  });

  it('S-1: accepts an allowed auth-provider only if it cannot run commands', () => {
    const parse = (name: string) =>
      parseKubeconfig(kubeconfig({ user: { 'auth-provider': { name, config: { 'cmd-path': 'canary' } } } }), {
        policy: 'untrusted',
        allow: ['auth-provider'],
      });
    expect(parse('oidc').auth).toMatchObject({ type: 'authProvider' });
    expect(errorOf(() => parse('gcp')).field).toBe('users[0].user.auth-provider.name');
  });

  it('S-1: drops unknown fields of an untrusted kubeconfig', () => {
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
        message: expect.stringMatching(/is refused: .* is a link-local, metadata, multicast or unspecified address/),
      });
      const endpoints = { metadataAddresses: true };
      expect(parseKubeconfig(text, { policy: 'untrusted', endpoints }).endpoints).toEqual(endpoints);
      expect(parseKubeconfig(text, { policy: 'trusted' }).endpoints).toBeUndefined();
    },
  );

  it('S-3: applies the rules of the caller to a server, and refuses metadata addresses if it is untrusted', () => {
    const endpoints = { allow: ['10.0.0.0/8', '*.example.com'] };
    const parse = (server: string, policy: 'trusted' | 'untrusted') =>
      parseKubeconfig(kubeconfig({ cluster: { server } }), { policy, endpoints }).endpoints;
    expect(parse('https://10.1.2.3:6443', 'trusted')).toEqual(endpoints);
    expect(parse('https://10.1.2.3:6443', 'untrusted')).toEqual({ metadataAddresses: false, ...endpoints });
    expect(errorOf(() => parse('https://11.1.2.3', 'trusted')).field).toBe('clusters[0].cluster.server');
    // The address of a name is checked when connecting.
    expect(parse('https://api.elsewhere', 'trusted')).toEqual(endpoints);
  });
});
