import { describe, expect, it } from '@jest/globals';
import type { Cluster, ClusterConfig } from '@mcr/core';
import { createClient } from '@mcr/core';
import type { AccessProviderConfig } from './access-providers.ts';
import type { AccessCluster, ClusterProfile, ClusterProfileStatus } from './cluster-profile.ts';
import { ExecAccess } from './exec-access.ts';
import { createInventoryProvider } from './inventory-provider.ts';
import { statusOf } from './profile-status.ts';

const ARGS = 'clusterprofiles.multicluster.x-k8s.io/exec/additional-args';
const ENVS = 'clusterprofiles.multicluster.x-k8s.io/exec/additional-envs';
const CONFIG = 'client.authentication.k8s.io/exec';
const PEM = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n';
const EXEC = { apiVersion: 'client.authentication.k8s.io/v1', command: 'plugin' };
const server = 'https://eu.example.com:6443';

async function access(status: ClusterProfileStatus, ...providers: AccessProviderConfig[]) {
  const spec = { clusterManager: { name: 'test' } };
  const profile = { metadata: { name: 'eu', namespace: 'fleet' }, spec, status } as ClusterProfile;
  return new ExecAccess(providers).find({
    profile,
    status: statusOf(profile),
    hub: undefined as unknown as Cluster,
    signal: new AbortController().signal,
  });
}

/** Returns the config of a profile with the access provider `oidc`. */
async function configOf(
  cluster: Partial<AccessCluster>,
  provider: Partial<AccessProviderConfig> = {},
): Promise<ClusterConfig> {
  const status = { accessProviders: [{ name: 'oidc', cluster: { server, ...cluster } }] };
  const found = await access(status, { name: 'oidc', execConfig: EXEC, ...provider });
  if (found.outcome !== 'found') throw new Error(found.reason);
  return found.config();
}

/** Checks that a client can be created from the config. */
function usable(config: ClusterConfig): ClusterConfig {
  createClient(config);
  return config;
}

const extensions = (content: Readonly<Record<string, unknown>>) =>
  Object.entries(content).map(([name, extension]) => ({ name, extension }));

describe('ExecAccess', () => {
  it('IN-2: uses the first configured provider that the profile has, with server, CA and proxy of its cluster', async () => {
    const status = {
      accessProviders: [
        { name: 'other', cluster: { server: 'https://other' } },
        { name: 'second', cluster: { server: 'https://second' } },
        {
          name: 'first',
          cluster: {
            server,
            'certificate-authority-data': Buffer.from(PEM).toString('base64'),
            'tls-server-name': 'api.internal',
            'proxy-url': 'http://proxy.example.com:3128',
          },
        },
      ],
    };
    const found = await access(
      status,
      { name: 'missing', execConfig: EXEC },
      { name: 'first', execConfig: { ...EXEC, args: ['a'], env: [{ name: 'A', value: 'x' }], installHint: 'Ask us.' } },
      { name: 'second', execConfig: EXEC },
    );
    expect(found.outcome === 'found' && found.config()).toEqual({
      server,
      tls: { caData: PEM, serverName: 'api.internal' },
      proxyUrl: 'http://proxy.example.com:3128',
      endpoints: { metadataAddresses: false },
      auth: {
        type: 'exec',
        ...EXEC,
        args: ['a'],
        env: { A: 'x' },
        provideClusterInfo: false,
        installHint: 'Ask us.',
      },
    });
  });

  it('IN-2: uses deprecated credentialProviders, unless accessProviders have the same name', async () => {
    const old = { name: 'oidc', cluster: { server: 'https://old' } };
    const provider = { name: 'oidc', execConfig: EXEC };
    const byOld = await access({ credentialProviders: [old] }, provider);
    expect(byOld.outcome === 'found' && byOld.config().server).toBe('https://old');
    const both = await access(
      { credentialProviders: [old], accessProviders: [{ ...old, cluster: { server } }] },
      provider,
    );
    expect(both.outcome === 'found' && both.config().server).toBe(server);
    expect(await access({ accessProviders: [{ name: 'x' }] }, provider)).toEqual({
      outcome: 'missing',
      reason: 'its profile has none of the configured access providers (oidc)',
    });
  });

  it('IN-3: ignores arguments and variables of the profile unless a policy accepts them', async () => {
    const cluster = { extensions: extensions({ [ARGS]: ['--x'], [ENVS]: { B: 'profile' } }) };
    expect((await configOf(cluster)).auth).toMatchObject({ args: [], env: {} });
    const ignored = { profileSourcedCLIArgsPolicy: 'Ignore', profileSourcedEnvVarsPolicy: 'Ignore' } as const;
    const { auth } = await configOf(cluster, ignored);
    expect(auth).toMatchObject({ args: [], env: {} });
    expect(auth).not.toHaveProperty('allowedCommands');
  });

  it('IN-3: policies append arguments, and determine which side wins if both set a variable', async () => {
    const cluster = {
      extensions: extensions({ [ARGS]: ['--b', '$HOME; id'], [ENVS]: { A: 'profile', B: 'profile' } }),
    };
    const execConfig = { ...EXEC, args: ['--a'], env: [{ name: 'A', value: 'own' }] };
    const allowed = { allowedArgs: ['--b', '$HOME; id'], allowedEnv: { A: 'profile', B: { pattern: '[a-z]+' } } };
    expect(
      (await configOf(cluster, { execConfig, profileSourcedCLIArgsPolicy: 'Append', ...allowed })).auth,
    ).toMatchObject({
      args: ['--a', '--b', '$HOME; id'],
      env: { A: 'own' },
    });
    const environment = async (profileSourcedEnvVarsPolicy: 'AppendIfNotExists' | 'Replace') =>
      usable(await configOf(cluster, { execConfig, profileSourcedEnvVarsPolicy, ...allowed })).auth;
    expect(await environment('AppendIfNotExists')).toMatchObject({ args: ['--a'], env: { A: 'own', B: 'profile' } });
    expect(await environment('Replace')).toMatchObject({ args: ['--a'], env: { A: 'profile', B: 'profile' } });
    expect(execConfig).toEqual({ ...EXEC, args: ['--a'], env: [{ name: 'A', value: 'own' }] });
  });

  it('IN-3: passes the extension client.authentication.k8s.io to the plugin if provideClusterInfo is true', async () => {
    const cluster = { extensions: extensions({ [CONFIG]: { audience: 'eu' } }) };
    expect((await configOf(cluster)).auth).not.toHaveProperty('clusterInfoConfig');
    const told = await configOf(cluster, { execConfig: { ...EXEC, provideClusterInfo: true } });
    expect(told.auth).toMatchObject({ provideClusterInfo: true, clusterInfoConfig: { audience: 'eu' } });
  });

  it('S-2, S-12: a plugin with arguments or variables of profiles inherits no environment, and only allowed ones are passed', async () => {
    const provider = {
      execConfig: { ...EXEC, args: ['get-token'], env: [{ name: 'OWN', value: 'x' }] },
      profileSourcedCLIArgsPolicy: 'Append',
      profileSourcedEnvVarsPolicy: 'Replace',
      allowedArgs: [{ optional: ['--tenant', { pattern: '[a-z\\d-]+' }] }],
      allowedEnv: { TENANT: { pattern: '[a-z]+' } },
    } as const;
    const adding = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      configOf({ extensions: extensions({ [ARGS]: args, [ENVS]: env }) }, provider);
    const { auth } = usable(await adding(['--tenant', 'eu-1'], { TENANT: 'eu' }));
    expect(auth).toMatchObject({
      args: ['get-token', '--tenant', 'eu-1'],
      env: { OWN: 'x', TENANT: 'eu' },
      allowedCommands: [{ command: 'plugin' }],
    });
    usable(await adding([]));
    for (const args of [
      ['--authority-host', 'https://evil'],
      ['--tenant'],
      ['--tenant', '--debug'],
      ['--tenant', 'a/b'],
    ]) {
      const config = await adding(args);
      expect(() => createClient(config)).toThrow(/^auth.args of the exec plugin plugin/);
    }
    for (const name of ['PATH', 'HOME', 'LD_PRELOAD', 'NODE_OPTIONS', 'HTTPS_PROXY', 'SSL_CERT_FILE', 'OWN']) {
      const config = await adding([], { [name]: 'canary' });
      expect(() => createClient(config)).toThrow(`auth.env of the exec plugin plugin sets "${name}", `);
    }
  });

  it.each([
    [{ profileSourcedCLIArgsPolicy: 'Append' }, 'allowedArgs is not set: list the arguments that a profile may add'],
    [{ profileSourcedEnvVarsPolicy: 'Replace' }, 'allowedEnv is not set: list the variables that a profile may set'],
    [
      { profileSourcedCLIArgsPolicy: 'Append', allowedArgs: ['--tenant', { pattern: '.+' }] },
      'allowedArgs.1.pattern: accepts paths, URLs and any other text',
    ],
    [
      { execConfig: { ...EXEC, command: '/bin/sh' }, allowedArgs: [{ pattern: '[a-z]+' }] },
      'execConfig.command: is a program that can run other programs named in its arguments',
    ],
  ] satisfies [Partial<AccessProviderConfig>, string][])('S-12: %j is refused', (provider, problem) => {
    const accessProviders = [{ name: 'oidc', execConfig: EXEC, ...provider }];
    expect(() => createInventoryProvider({ accessProviders })).toThrow(problem);
  });

  it.each([
    ['certificate-authority', { 'certificate-authority': '/etc/passwd' }, 'cluster.certificate-authority: is refused'],
    ['insecure-skip-tls-verify', { 'insecure-skip-tls-verify': true }, 'insecure-skip-tls-verify: is refused'],
    ['a CA that is none', { 'certificate-authority-data': 'canary' }, 'certificate-authority-data: is not a PEM'],
    ['no server', { server: '' }, 'cluster.server: is not set'],
    ['a server with a password', { server: 'https://me:canary@x' }, 'cluster.server: contains a user name or password'],
    ['a proxy that is none', { 'proxy-url': 'canary' }, 'proxy-url: is not a URL'],
  ])('S-1: %s is refused, by the name of the field', async (_, cluster, problem) => {
    const failure = await configOf(cluster as Partial<AccessCluster>).catch(String);
    expect(failure).toContain('its access provider "oidc" cannot be used');
    expect(failure).toContain(problem);
    expect(failure).not.toContain('canary');
  });

  it('S-3: refuses metadata addresses, at once or when connecting', async () => {
    await expect(configOf({ server: 'https://169.254.169.254' })).rejects.toThrow('cluster.server: is refused');
    expect((await configOf({})).endpoints).toEqual({ metadataAddresses: false });
  });

  it('S-6: refuses extensions of a wrong type or size, by name and without quoting them', async () => {
    const taking = {
      execConfig: { ...EXEC, provideClusterInfo: true },
      profileSourcedCLIArgsPolicy: 'Append',
      profileSourcedEnvVarsPolicy: 'Replace',
      allowedArgs: [],
      allowedEnv: {},
    } as const;
    const many = Array.from({ length: 65 }, (_, index) => `canary${index}`);
    const bad: [name: string, content: unknown, problem: string][] = [
      [ARGS, 'canary', `${ARGS}: `],
      [ARGS, [{ canary: 1 }], `${ARGS}.0: `],
      [ARGS, ['canary\0'], `${ARGS}.0: expected no NUL`],
      [ARGS, ['canary'.repeat(1000)], `${ARGS}.0: `],
      [ARGS, many, `${ARGS}: `],
      [ENVS, ['canary'], `${ENVS}: `],
      [ENVS, { 'A=B': 'canary' }, `${ENVS}.A=B: `],
      [ENVS, { A: 1 }, `${ENVS}.A: `],
      [ENVS, Object.fromEntries(many.map((name) => [name, ''])), `${ENVS}: expected at most 64 variables`],
      [CONFIG, { canary: 'x'.repeat(40_000) }, `${CONFIG}: is larger than`],
    ];
    for (const [name, content, problem] of bad) {
      const failure = await configOf({ extensions: extensions({ [name]: content }) }, taking).catch(String);
      expect(failure).toContain(`its access provider "oidc" cannot be used: ${problem}`);
      expect(failure).not.toContain('canary');
    }
  });
});
