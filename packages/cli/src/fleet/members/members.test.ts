import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ApiClient,
  ConfigMap,
  createClient,
  createManager,
  Namespace,
  parseKubeconfig,
  Secret,
  silentLogger,
} from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { type ControlPlaneFleet, createControlPlaneFleet } from '@mcr/envtest';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';
import { parse, stringify } from 'yaml';
import { runMcr } from '../../command/mcr-program.ts';

interface Result {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

interface Kubeconfig {
  readonly clusters: [{ cluster: Record<string, string> }];
  readonly users: [{ user: Record<string, unknown> }];
}

async function run(...args: readonly string[]): Promise<Result> {
  let [out, err] = ['', ''];
  const { signal } = new AbortController();
  const print = (part: string): void => void (out += part);
  const status = await runMcr(['fleet', ...args], { print, warn: (part) => void (err += part), signal });
  return { status, out, err };
}

describe('the members of a fleet', () => {
  let fleet: ControlPlaneFleet;
  let hub: ApiClient;
  let directory: string;
  let memberText: string;
  let member: string;
  let hubArgs: string[];
  const servers: Server[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-members-'));
    fleet = await createControlPlaneFleet({ members: 1 });
    hub = createClient(fleet.hub.config);
    const hubFile = await write('hub', fleet.hub.kubeconfig);
    memberText = fleet.members[0]?.kubeconfig ?? '';
    member = await write('member', memberText);
    hubArgs = ['-n', 'fleet', '--hub-kubeconfig', hubFile];
  });
  afterAll(async () => {
    await hub.close();
    await fleet.stop();
    for (const server of servers) server.close();
    await rm(directory, { recursive: true });
  });
  afterEach(() => hub.deleteCollection(Secret, { namespace: 'fleet' }));

  const write = async (name: string, text: string): Promise<string> => {
    const file = join(directory, name);
    await writeFile(file, text);
    return file;
  };

  /** Writes a changed copy of the member's kubeconfig. */
  const changed = (name: string, change: (document: Kubeconfig) => void): Promise<string> => {
    const document = parse(memberText) as Kubeconfig;
    change(document);
    return write(name, stringify(document));
  };

  /** Writes a kubeconfig for a server that answers as `answer` does. */
  const serve = async (answer: RequestListener): Promise<string> => {
    const server = createServer(answer);
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return changed('stand-in', ({ clusters: [{ cluster }] }) => {
      cluster['server'] = address;
      delete cluster['certificate-authority-data'];
    });
  };

  describe('mcr fleet check', () => {
    it('WB-6: passes a cluster that would engage', async () => {
      const { out, err, status } = await run('check', '--kubeconfig', member);
      expect({ err, status }).toEqual({ err: '', status: 0 });
      for (const name of ['DNS', 'TCP', 'TLS', 'credentials', 'permission', 'version', 'clock'])
        expect(out).toMatch(new RegExp(`^${name} +ok +\\S`, 'm'));
      expect(out).toMatch(/^kubeconfig: a manager in a Pod cannot reach it/m);
      const { checks } = JSON.parse((await run('check', '--kubeconfig', member, '-o', 'json')).out) as {
        checks: { name: string; result: string }[];
      };
      expect(checks.map(({ result }) => result)).toEqual(['warning', ...Array<string>(7).fill('ok')]);
    });

    it.each<[string, (document: Kubeconfig) => void, RegExp, RegExp]>([
      [
        'a name that does not exist',
        ({ clusters: [{ cluster }] }) => void (cluster['server'] = 'https://eu-1.invalid'),
        /^DNS +failed +eu-1\.invalid: name not found\nTCP +left out/m,
        /^DNS: correct the host name/m,
      ],
      [
        'a port that is closed',
        ({ clusters: [{ cluster }] }) => void (cluster['server'] = 'https://127.0.0.1:1'),
        /^DNS +ok .*\nTCP +failed +127\.0\.0\.1:1: connection refused\nTLS +left out/m,
        /^TCP: check the port of the server/m,
      ],
      [
        'a certificate that is not trusted',
        ({ clusters: [{ cluster }] }) => void delete cluster['certificate-authority-data'],
        /^TCP +ok .*\nTLS +failed .* certificate.*\ncredentials +left out/m,
        /^TLS: set certificate-authority-data/m,
      ],
      [
        'credentials that are refused',
        ({ users: [entry] }) => void (entry.user = { token: 'expired' }),
        /^TLS +ok .*\ncredentials +failed +.*401.*\npermission +left out/m,
        /^credentials: renew the token/m,
      ],
    ])('WB-6: says what to do about %s', async (_, change, row, advice) => {
      const { out, status } = await run('check', '--kubeconfig', await changed('changed', change));
      expect(out).toMatch(row);
      expect(out).toMatch(advice);
      expect(status).toBe(1);
    });

    it('WB-6: says which permission is missing', async () => {
      const { config } = (await fleet.members[0]?.issueToken({ user: 'jane' })) ?? { config: undefined };
      const token = config?.auth?.type === 'token' ? config.auth.token : '';
      const file = await changed('jane', ({ users: [entry] }) => void (entry.user = { token }));
      const { out, status } = await run('check', '--kubeconfig', file);
      expect(out).toMatch(/^credentials +ok .*\npermission +failed .*"jane" cannot get.*\nversion +left out/m);
      expect(out).toMatch(/^permission: grant the verb get on the namespace kube-system/m);
      expect(status).toBe(1);
    });

    it('WB-6: warns about an old release and a clock that is wrong', async () => {
      const file = await serve((request, response) => {
        response.setHeader('date', new Date(Date.now() - 600_000).toUTCString());
        response.end(request.url === '/version' ? '{"major":"1","minor":"19+","gitVersion":"v1.19.3"}' : '{}');
      });
      const { out, status } = await run('check', '--kubeconfig', file);
      expect(out).toMatch(/^version +warning +v1\.19\.3\nclock +warning +(599|60\d) s apart/m);
      expect(out).toMatch(/^version: the oldest release that is tested is 1\.31/m);
      expect(status).toBe(0);
    });

    it('WB-6: names a server that is not an API server, and escapes its text', async () => {
      const file = await serve((_, response) => response.writeHead(500).end(`\u001B[2J${'x'.repeat(9_000)}`));
      const { out, status } = await run('check', '--kubeconfig', file);
      expect(out).toMatch(/^permission +failed +GET \S+ answered 500: \\u001b\[2Jxxx/m);
      expect(out.length).toBeLessThan(2_000);
      expect(status).toBe(1);
    });

    it('WB-6: ends at its deadline', async () => {
      const file = await serve(() => undefined);
      const { err, status } = await run('check', '--kubeconfig', file, '--timeout', '1');
      expect(err).toBe('mcr: no answer before the deadline: set --timeout to a longer one\n');
      expect(status).toBe(1);
    });

    it('WB-6: refuses credentials that a Secret cannot hold', async () => {
      const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'aws', interactiveMode: 'Never' };
      const file = await changed('exec', ({ users: [entry] }) => void (entry.user = { exec }));
      const { err, status } = await run('check', '--kubeconfig', file);
      expect(err).toBe(
        'mcr: the kubeconfig uses exec, which a Secret cannot hold: create a ServiceAccount with --rules\n',
      );
      expect(status).toBe(1);
    });
  });

  it('WB-6: adds a cluster that a manager engages, and removes it', async () => {
    const added = await run('add', 'eu-1', '--kubeconfig', member, ...hubArgs);
    expect(added).toMatchObject({ status: 0, err: '' });
    expect(added.out).toMatch(/^hub: Namespace fleet (created|unchanged)\nhub: Secret fleet\/eu-1 created\n$/);
    expect((await run('add', 'eu-1', '--kubeconfig', member, ...hubArgs)).out).toContain('Secret fleet/eu-1 unchanged');
    const provider = createKubeconfigProvider({ namespace: 'fleet' });
    const manager = await createManager({
      provider,
      config: fleet.hub.config,
      logger: silentLogger,
      metrics: { bindAddress: '127.0.0.1:0' },
    });
    const end = new AbortController();
    const stopped = manager.start(end.signal);
    try {
      await eventually(() => expect(manager.fleet.get('eu-1')?.phase).toBe('Engaged'));
      const dry = await run('remove', 'eu-1', ...hubArgs, '--dry-run');
      expect(dry).toEqual({ status: 0, err: '', out: 'hub: Secret fleet/eu-1 would be deleted\n' });
      const removed = await run('remove', 'eu-1', ...hubArgs);
      expect(removed).toEqual({ status: 0, err: '', out: 'hub: Secret fleet/eu-1 deleted\n' });
      await eventually(() => expect(manager.fleet.get('eu-1')?.phase).toBe('Disengaged'));
    } finally {
      end.abort();
      await stopped;
    }
  });

  it('WB-6: adds a cluster with a ServiceAccount that has only the given permissions', async () => {
    const rules = await write('rules.yaml', "- { apiGroups: [''], resources: [configmaps], verbs: [list] }\n");
    const args = ['add', 'eu-1', '--kubeconfig', member, ...hubArgs, '--rules', rules, '--token-lifetime', '3600'];
    const dry = await run(...args, '--dry-run');
    expect(dry.out).toContain('member: ServiceAccount fleet/multicluster-kubeconfig-provider would be created\n');
    expect(await hub.find(Secret, { namespace: 'fleet', name: 'eu-1' })).toBeUndefined();
    const { out, err, status } = await run(...args);
    expect({ err, status }).toEqual({ err: '', status: 0 });
    expect(out).toContain('hub: Secret fleet/eu-1 created\n');
    const { data } = await hub.get(Secret, { namespace: 'fleet', name: 'eu-1' });
    const text = Buffer.from(data?.['kubeconfig'] ?? '', 'base64').toString('utf8');
    await using client = createClient(parseKubeconfig(text, { policy: 'untrusted' }));
    await expect(client.list(ConfigMap)).resolves.toBeDefined();
    await expect(client.list(Secret)).rejects.toMatchObject({ status: 403 });
  });

  it('WB-6: does not add a cluster that would not engage, unless told to', async () => {
    const file = await changed(
      'closed',
      ({ clusters: [{ cluster }] }) => void (cluster['server'] = 'https://127.0.0.1:1'),
    );
    const refused = await run('add', 'eu-1', '--kubeconfig', file, ...hubArgs);
    expect(refused).toMatchObject({ status: 1, out: '' });
    expect(refused.err).toMatch(/^TCP +failed[^]*\nmcr: cluster eu-1 was not added: set --no-check/m);
    expect(await hub.find(Secret, { namespace: 'fleet', name: 'eu-1' })).toBeUndefined();
    expect((await run('add', 'eu-1', '--kubeconfig', file, ...hubArgs, '--no-check')).status).toBe(0);
    expect(await hub.find(Secret, { namespace: 'fleet', name: 'eu-1' })).toBeDefined();
  });

  it('WB-6: removes no Secret that is not of a cluster', async () => {
    if (!(await hub.find(Namespace, { name: 'fleet' }))) await hub.create(Namespace, { metadata: { name: 'fleet' } });
    await hub.create(Secret, { metadata: { namespace: 'fleet', name: 'password' } });
    expect((await run('remove', 'password', ...hubArgs)).err).toContain('so it is not of a cluster: check --namespace');
    expect(await hub.find(Secret, { namespace: 'fleet', name: 'password' })).toBeDefined();
    expect((await run('remove', 'none', ...hubArgs)).err).toContain('"none" not found');
  });

  it.each([
    [['add', 'eu-1'], "required option '-n, --namespace <name>' not specified", 2],
    [['add', 'EU_1', '-n', 'fleet'], 'name of the cluster: expected up to 253 of a-z', 1],
    [['add', 'a', '-n', 'b', '--token-lifetime', '5'], 'expected whole seconds, at least 600', 2],
    [['add', 'a', '-n', 'b', '--token-lifetime', '600'], "needs option '--rules <file>'", 2],
    [['add', 'a', '-n', 'b', '--rules', 'none.yaml'], '--rules none.yaml: ENOENT', 1],
    [['remove', 'a'], "required option '-n, --namespace <name>' not specified", 2],
  ] as const)('WB-6: refuses %j', async (args, message, code) => {
    const { err, status } = await run(...args);
    expect(err).toContain(message);
    expect(status).toBe(code);
  });
});
