import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@mcr/core';
import {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  createClient,
  Namespace,
  parseKubeconfig,
  Secret,
  ServiceAccount,
} from '@mcr/core';
import type { ControlPlaneFleet, Credentials } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import { parse, stringify } from 'yaml';

const ACCOUNT = { namespace: 'fleet', name: 'multicluster-kubeconfig-provider' };
const ROLE = 'multicluster-kubeconfig-provider:fleet';
const RULES = `
- apiGroups: ['']
  resources: [configmaps]
  verbs: [get, list, watch]
`;

describe('mcr-kubeconfig-secret', () => {
  let fleet: ControlPlaneFleet;
  let hub: ApiClient;
  let member: ApiClient;
  let issued: Credentials;
  let folder: string;

  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 1 });
    const [plane] = fleet.members;
    if (!plane) throw new Error('expected a member');
    hub = createClient(fleet.hub.config);
    member = createClient(plane.config);
    issued = await plane.issueToken();
    folder = await mkdtemp(join(tmpdir(), 'mcr-kubeconfig-secret-'));
    await writeFile(join(folder, 'rules.yaml'), RULES);
    await writeFile(join(folder, 'config'), twoContexts(fleet.hub.kubeconfig, plane.kubeconfig));
  });

  afterAll(async () => {
    await Promise.all([hub.close(), member.close()]);
    await fleet.stop();
    await rm(folder, { recursive: true });
  });

  afterEach(async () => {
    await hub.deleteCollection(Secret, { namespace: 'fleet' });
    await member.deleteCollection(Secret, { namespace: 'fleet' });
    await member.deleteCollection(ServiceAccount, { namespace: 'fleet' });
  });

  /** Writes the token with a delay, as the member's kube-controller-manager does. */
  const fillInToken = async () => {
    const { auth } = issued.config;
    const token = Buffer.from(auth?.type === 'token' ? auth.token : '').toString('base64');
    await member.patch(Secret, ACCOUNT, { data: { token } }, 'merge');
  };

  /** Runs the program. The member issues the token after the program reports that it waits. */
  const run = async (...args: readonly string[]) => {
    const filledIn: Promise<void>[] = [];
    const outcome = await new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const program = join(import.meta.dirname, 'mcr-kubeconfig-secret.ts');
      const argv = ['--conditions=@mcr/source', program, '--kubeconfig', join(folder, 'config'), ...args];
      const child = execFile(process.execPath, argv, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
      child.stderr?.on('data', (text: string) => {
        if (text.startsWith('waiting')) filledIn.push(fillInToken());
      });
    });
    await Promise.all(filledIn);
    return outcome;
  };

  const add = (...args: readonly string[]) => {
    const names = ['--namespace', 'fleet', '--name', 'eu-1', '--context', 'member-1', '--hub-context', 'hub'];
    return run(...names, '--rules', join(folder, 'rules.yaml'), ...args);
  };

  it('KC-7: a dry run writes nothing, and prints what would change', async () => {
    const { code, stdout } = await add('--dry-run', '--json');
    expect(code).toBe(0);
    const steps = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(steps).toContainEqual({
      cluster: 'hub',
      kind: 'Secret',
      object: 'fleet/eu-1',
      result: 'created',
      isDryRun: true,
    });
    expect(await hub.find(Secret, { namespace: 'fleet', name: 'eu-1' })).toBeUndefined();
    expect(await member.find(ServiceAccount, ACCOUNT)).toBeUndefined();
  });

  it('KC-7: creates the account, role, token and the Secret in the hub, reports what it waits for, and prints no credential', async () => {
    const { code, stdout, stderr } = await add();
    expect(stderr).toBe(
      'waiting up to 30 s for the member to write a token to Secret fleet/multicluster-kubeconfig-provider\n',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('member: ServiceAccount fleet/multicluster-kubeconfig-provider created\n');
    expect(stdout).toContain('hub: Secret fleet/eu-1 created\n');
    const { auth } = issued.config;
    expect(stdout).not.toContain(auth?.type === 'token' ? auth.token : '');

    expect((await member.get(ClusterRole, { name: ROLE })).rules).toEqual([
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
    ]);
    expect((await member.get(ClusterRoleBinding, { name: ROLE })).subjects).toEqual([
      { kind: 'ServiceAccount', ...ACCOUNT },
    ]);
    const secret = await hub.get(Secret, { namespace: 'fleet', name: 'eu-1' });
    expect(secret.metadata.labels).toEqual({ 'sigs.k8s.io/multicluster-runtime-kubeconfig': 'true' });
    const kubeconfig = Buffer.from(secret.data?.['kubeconfig'] ?? '', 'base64').toString('utf8');
    await using client = createClient(parseKubeconfig(kubeconfig, { policy: 'untrusted' }));
    await expect(client.list(ConfigMap)).resolves.toBeDefined();
  });

  it('KC-7: a second run changes nothing', async () => {
    await add();
    const { code, stdout } = await add('--json');
    expect(code).toBe(0);
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { result: string }).result);
    expect(new Set(results)).toEqual(new Set(['unchanged']));
  });

  describe('in two namespaces of the hub', () => {
    const addTo = (namespace: string, rules = 'rules.yaml') =>
      add('--namespace', namespace, '--rules', join(folder, rules), '--token-lifetime', '3600');

    /** The client that a provider creates from the Secret. */
    const clientOf = async (namespace: string): Promise<ApiClient> => {
      const { data } = await hub.get(Secret, { namespace, name: 'eu-1' });
      const kubeconfig = Buffer.from(data?.['kubeconfig'] ?? '', 'base64').toString('utf8');
      return createClient(parseKubeconfig(kubeconfig, { policy: 'untrusted' }));
    };

    const subjectsOf = async (name: string) => (await member.get(ClusterRoleBinding, { name })).subjects;

    it('KC-7: the account of each namespace has its own permissions', async () => {
      await writeFile(join(folder, 'secrets.yaml'), RULES.replace('configmaps', 'secrets'));
      expect(await addTo('team-a')).toMatchObject({ code: 0 });
      expect(await addTo('team-b', 'secrets.yaml')).toMatchObject({ code: 0 });
      await using ofA = await clientOf('team-a');
      await using ofB = await clientOf('team-b');
      await expect(ofA.list(ConfigMap)).resolves.toBeDefined();
      await expect(ofA.list(Secret)).rejects.toMatchObject({ name: 'ApiError', status: 403 });
      await expect(ofB.list(Secret)).resolves.toBeDefined();
      await expect(ofB.list(ConfigMap)).rejects.toMatchObject({ name: 'ApiError', status: 403 });
    });

    it('KC-7: removes only its own account from the binding that an earlier version created for all namespaces', async () => {
      const subjects = ['team-a', 'team-c'].map((namespace) => ({ ...ACCOUNT, kind: 'ServiceAccount', namespace }));
      const name = ACCOUNT.name;
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
      const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }];
      await member.create(ClusterRole, { metadata: { name }, rules });
      await member.create(ClusterRoleBinding, { metadata: { name }, roleRef, subjects });

      const { stdout } = await addTo('team-a');
      expect(stdout).toContain(`member: ClusterRoleBinding ${name} updated\n`);
      expect(await subjectsOf(name)).toEqual(subjects.slice(1));
      expect(await subjectsOf(`${name}:team-a`)).toEqual(subjects.slice(0, 1));
      await using ofA = await clientOf('team-a');
      await expect(ofA.list(ConfigMap)).resolves.toBeDefined();
      await expect(ofA.list(Secret)).rejects.toMatchObject({ name: 'ApiError', status: 403 });

      expect((await addTo('team-a')).stdout).not.toContain(`ClusterRoleBinding ${name} `);
      expect((await member.get(ClusterRole, { name })).rules).toEqual(rules);
    });
  });

  it.each<[string, readonly string[], number, string]>([
    [
      'a missing option',
      ['--namespace', 'fleet'],
      2,
      '--namespace is missing, or both --name and --context: pass them',
    ],
    ['a missing rules file', ['--namespace', 'a', '--name', 'b'], 2, '--rules rules.yaml: ENOENT'],
    ['an unknown option', ['--token', 'x'], 2, "Unknown option '--token'"],
    [
      'a lifetime that is too short',
      ['--namespace', 'a', '--name', 'b', '--token-lifetime', '5'],
      2,
      'seconds, at least 600, found "5"',
    ],
    ['a file without rules', ['--namespace', 'a', '--name', 'b', '--rules', import.meta.filename], 2, '--rules'],
  ])('refuses %s', async (_, args, code, message) => {
    const outcome = await run(...args);
    expect(outcome).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
  });

  it('S-15: prints control and bidirectional characters of its arguments as escapes', async () => {
    const { stderr } = await run('--namespace', 'a', '--name', 'b', '--rules', 'x\u001b[2J\u202egnp\u009bm');
    expect(stderr).toContain(String.raw`--rules x\u001b[2J\u202egnp\u009bm: ENOENT`);
    expect(stderr).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  });

  it.each([
    ['with an underscore', '--name', 'EU_1'],
    ['with two dots', '--name', 'eu..1'],
    ['that is too long', '--name', 'e'.repeat(254)],
    ['that is the context, with colons', '--context', 'arn:aws:eks:eu-1:1:cluster/shop'],
  ])('KC-7: refuses a name %s, before it writes anything', async (_, option, name) => {
    const names = ['--namespace', 'unwritten', '--context', 'member-1', '--hub-context', 'hub', option, name];
    const { code, stdout, stderr } = await run(...names, '--rules', join(folder, 'rules.yaml'));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`--name (default: --context): expected up to 253 of a-z, 0-9, "-" and "."`);
    expect(await member.find(Namespace, { name: 'unwritten' })).toBeUndefined();
  });

  it('KC-7: issues a token that expires if requested, with separate kubeconfigs, named by the context', async () => {
    const [plane] = fleet.members;
    await writeFile(join(folder, 'hub'), fleet.hub.kubeconfig);
    await writeFile(join(folder, 'member'), plane?.kubeconfig ?? '');
    const { code, stdout, stderr } = await run(
      ...['--namespace', 'expiring', '--kubeconfig', join(folder, 'member'), '--context', 'member-1'],
      ...['--hub-kubeconfig', join(folder, 'hub'), '--rules', join(folder, 'rules.yaml'), '--token-lifetime', '3600'],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await member.find(Secret, { namespace: 'expiring', name: ACCOUNT.name })).toBeUndefined();
    const secret = await hub.get(Secret, { namespace: 'expiring', name: 'member-1' });
    const kubeconfig = Buffer.from(secret.data?.['kubeconfig'] ?? '', 'base64').toString('utf8');
    const config = parseKubeconfig(kubeconfig, { policy: 'untrusted' });
    const token = config.auth?.type === 'token' ? config.auth.token : '';
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    expect(claims).toMatchObject({ sub: `system:serviceaccount:expiring:${ACCOUNT.name}` });
    expect(stdout).not.toContain(token);
    await using client = createClient(config);
    await expect(client.list(ConfigMap)).resolves.toBeDefined();
  });

  it('fails with a message if the context does not exist', async () => {
    const outcome = await add('--context', 'nowhere');
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('mcr-kubeconfig-secret: ') });
  });
});

/** A kubeconfig with the contexts of both, named like their control planes. */
function twoContexts(...kubeconfigs: readonly string[]): string {
  const documents = kubeconfigs.map((text) => parse(text) as Record<'clusters' | 'users' | 'contexts', unknown[]>);
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: documents.flatMap(({ clusters }) => clusters),
    users: documents.flatMap(({ users }) => users),
    contexts: documents.flatMap(({ contexts }) => contexts),
  });
}
