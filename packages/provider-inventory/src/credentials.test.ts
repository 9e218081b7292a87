import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ClusterConfig } from '@mcr/core';
import { Namespace } from '@mcr/core';
import { eventually, VirtualClock } from '@mcr/core/testing';
import type { AccessExecConfig, AccessProviderConfig } from './access-providers.ts';
import { Plugin } from './plugin.fixture.ts';
import { accessTo } from './profile.fixture.ts';
import { HEALTHY, Scene } from './scene.fixture.ts';

const CONFIG_EXTENSION = 'client.authentication.k8s.io/exec';

let scene: Scene;
let plugin: Plugin;
beforeAll(async () => {
  scene = await Scene.open();
});
beforeEach(async () => {
  // Records its input, and returns what the test has written.
  plugin = await Plugin.write(
    () => `cd "$(dirname "$0")"
echo run >> runs
printf '%s' "$KUBERNETES_EXEC_INFO" > info
cat answer`,
  );
});
afterEach(async () => {
  await scene.clear();
  await plugin[Symbol.asyncDispose]();
});
afterAll(() => scene[Symbol.asyncDispose]());

const read = (name: string) => readFile(join(plugin.directory, name), 'utf8');
const runs = async () => (await read('runs')).split('\n').length - 1;
const answer = (status: object) =>
  writeFile(
    join(plugin.directory, 'answer'),
    JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }),
  );
const tokenOf = ({ auth }: ClusterConfig) => (auth?.type === 'token' ? auth.token : '');

const provider = (execConfig: Partial<AccessExecConfig> = {}): AccessProviderConfig => ({
  name: 'token',
  execConfig: { apiVersion: 'client.authentication.k8s.io/v1', command: plugin.command, ...execConfig },
});

async function createProfile(name = 'eu', config = scene.member().config): Promise<void> {
  const accessProviders = [accessTo(config, { [CONFIG_EXTENSION]: { audience: name } })];
  await scene.createProfile(name, { ...HEALTHY, accessProviders });
}

const engaged = async () => {
  await eventually(() => expect(scene.names()).toEqual(['fleet/eu']));
  return scene.cluster('eu');
};
const request = async () => (await scene.cluster('eu')).apiReader.get(Namespace, { name: 'default' });

describe('the credentials of an access provider', () => {
  it('IN-4: come from one run of the plugin, which receives the cluster', async () => {
    await answer({ token: tokenOf(scene.member().config) });
    await scene.run({ accessProviders: [provider({ provideClusterInfo: true })] });
    await createProfile();
    await engaged();
    await Promise.all(Array.from({ length: 20 }, request));
    expect(await runs()).toBe(1);
    const { server, tls } = scene.member().config;
    expect(JSON.parse(await read('info'))).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: {
        interactive: false,
        cluster: {
          server,
          'certificate-authority-data': Buffer.from(tls?.caData ?? '').toString('base64'),
          config: { audience: 'eu' },
        },
      },
    });
  });

  it('IN-4: can be a client certificate', async () => {
    const { config } = await scene.member().issueCertificate({ user: 'carts', groups: ['system:masters'] });
    await answer({ clientCertificateData: config.tls?.certData, clientKeyData: config.tls?.keyData });
    await scene.run({ accessProviders: [provider()] });
    await createProfile();
    await engaged();
    expect((await request()).metadata.name).toBe('default');
  });

  it('IN-4: are cached for 80 % of their lifetime', async () => {
    const clock = new VirtualClock();
    const expirationTimestamp = new Date(clock.wallTime() + 100_000).toISOString();
    await answer({ token: tokenOf(scene.member().config), expirationTimestamp });
    await scene.run({ accessProviders: [provider()] }, clock);
    await createProfile();
    await engaged();
    await scene.pass(clock, 79_000);
    await request();
    expect(await runs()).toBe(1);
    await scene.pass(clock, 1_000);
    await request();
    expect(await runs()).toBe(2);
  });

  it('IN-4: are requested again once when the cluster refuses them', async () => {
    const first = await scene.member().issueToken();
    await answer({ token: tokenOf(first.config) });
    await scene.run({ accessProviders: [provider()] });
    await createProfile();
    const cluster = await engaged();
    await answer({ token: tokenOf((await scene.member().issueToken()).config) });
    await scene.member().revokeToken(first);
    await Promise.all(Array.from({ length: 10 }, request));
    expect(await runs()).toBe(2);
    expect(await scene.cluster('eu')).toBe(cluster);
  });

  it('IN-4: the failure of a plugin is reported with its error output, and without secrets', async () => {
    await using failing = await Plugin.write(() => `echo "no session for $SECRET" >&2; exit 3`);
    const env = [{ name: 'SECRET', value: 'canary' }];
    await scene.run({ accessProviders: [provider({ command: failing.command, env })] });
    await createProfile();
    await eventually(() => expect(scene.phase('eu')).toBe('Unreachable'));
    expect(scene.reason('eu')).toContain('exited with code 3: no session for [redacted]');
    expect(JSON.stringify(scene.manager.fleet.list())).not.toContain('canary');
  });

  it('IN-6: are rotated in place when another plugin is used', async () => {
    await answer({ token: tokenOf(scene.member().config) });
    const path = join(plugin.directory, 'providers.json');
    const write = (execConfig: Partial<AccessExecConfig>) =>
      writeFile(path, JSON.stringify({ providers: [provider(execConfig)] }));
    await write({});
    await scene.run({ accessProviders: path });
    await createProfile();
    const cluster = await engaged();
    await write({ args: ['--other'] });
    await scene.setStatus('eu', { version: { kubernetes: 'v1.34.0' } });
    await eventually(() => expect(cluster.config.auth).toMatchObject({ args: ['--other'] }));
    expect(await scene.cluster('eu')).toBe(cluster);
  });

  it('IN-2: access providers of a file are used once it can be read, and kept while it cannot', async () => {
    await answer({ token: tokenOf(scene.member().config) });
    const path = join(plugin.directory, 'providers.json');
    await writeFile(path, '{ "canary');
    const clock = new VirtualClock();
    await scene.run({ accessProviders: path }, clock);
    await createProfile();
    await eventually(() => expect(scene.reason('eu')).toBe(`the access providers in ${path} are not JSON`));
    await writeFile(path, JSON.stringify({ providers: [{ ...provider(), policy: 'Append' }] }));
    await scene.pass(clock, 10_000);
    await eventually(() => expect(scene.reason('eu')).toContain('unknown option "providers.0.policy"'));
    await writeFile(path, JSON.stringify({ providers: [provider()] }));
    await scene.pass(clock, 10_000);
    const cluster = await engaged();

    await writeFile(path, '');
    await scene.setStatus('eu', { version: { kubernetes: 'v1.34.0' } });
    await eventually(() => expect(scene.reason('eu')).toContain('; the cluster keeps its last good configuration'));
    expect(await scene.cluster('eu')).toBe(cluster);
  });

  it('IN-2: a profile without a configured access provider is not engaged, and the reason is reported', async () => {
    await scene.run({ accessProviders: [{ ...provider(), name: 'oidc' }] });
    await createProfile();
    await eventually(() => expect(scene.phase('eu')).toBe('Discovered'));
    expect(scene.reason('eu')).toBe('its profile has none of the configured access providers (oidc)');
  });
});
