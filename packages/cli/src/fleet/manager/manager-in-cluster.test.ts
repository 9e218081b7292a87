import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ApiClient,
  ClusterRole,
  ClusterRoleBinding,
  createClient,
  createManager,
  Deployment,
  type Draft,
  InMemoryProvider,
  type Logger,
  Namespace,
  Pod,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
} from '@mcr/core';
import { eventually, InMemoryCluster } from '@mcr/core/testing';
import { createServingIdentity } from '@mcr/envtest';
import { runMcr } from '../../command/mcr-program.ts';
import { KubeletFixture, NODE } from './kubelet.fixture.ts';

const NAMESPACE = 'fleet';
const APP = { app: 'copier' };

interface Result {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

function cluster(name: string, fields: object = {}): object {
  const status = { phase: 'Engaged', since: Date.now() - 60_000, reason: 'all sources have synced', sources: {} };
  return { name, ...status, ...{ objects: 3, reconciles: 7, errors: 0, history: [] }, ...fields };
}

const TEMPLATE = { metadata: { labels: APP }, spec: { containers: [{ name: 'a', image: 'a' }] } };

describe('mcr fleet with the Pods of a manager', () => {
  let kubelets: KubeletFixture;
  let hub: ApiClient;
  let directory: string;
  let kubeconfig: string;
  const servers: Server[] = [];
  /** Uids of StatefulSets, by name. */
  const owners = new Map<string, string>();

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-fleet-pods-'));
    kubelets = await KubeletFixture.start();
    hub = createClient(kubelets.plane.config);
    await hub.create(Namespace, { metadata: { name: NAMESPACE } });
    for (const name of ['copier', 'other']) {
      const spec = { selector: { matchLabels: APP }, serviceName: name, template: TEMPLATE };
      const { metadata } = await hub.create(StatefulSet, { metadata: { namespace: NAMESPACE, name }, spec });
      owners.set(name, metadata.uid);
    }
    kubeconfig = join(directory, 'config');
    await writeFile(kubeconfig, await kubelets.kubeconfig());
  });
  afterAll(async () => {
    await hub.close();
    await kubelets[Symbol.asyncDispose]();
    for (const server of servers) server.close();
    await rm(directory, { recursive: true });
  });
  afterEach(async () => {
    await hub.deleteCollection(Pod, { namespace: NAMESPACE, gracePeriodSeconds: 0 });
    kubelets.faults.clear();
    kubelets.forwarded.length = 0;
  });

  /** @param owner name of the StatefulSet. The garbage collector deletes Pods without their owner. */
  function podOf(name: string, { labels = APP, port = 'metrics', owner = 'copier' } = {}): Draft<Pod> {
    const controller = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: owner, uid: owners.get(owner) ?? '' };
    return {
      metadata: { namespace: NAMESPACE, name, labels, ownerReferences: [{ ...controller, controller: true }] },
      spec: {
        nodeName: NODE,
        containers: [{ name: 'manager', image: 'copier', ports: [{ name: port, containerPort: 8080 }] }],
      },
    };
  }

  async function run(args: readonly string[], file = kubeconfig): Promise<Result> {
    let [out, err] = ['', ''];
    const { signal } = new AbortController();
    const status = await runMcr(['fleet', ...args, '--kubeconfig', file, '-n', NAMESPACE], {
      print: (part) => void (out += part),
      warn: (part) => void (err += part),
      signal,
    });
    return { status, out, err };
  }

  const listen = async (server: Server): Promise<number> => {
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  const replica = (...clusters: object[]): Promise<number> =>
    listen(createServer((_, response) => response.end(JSON.stringify({ clusters }))));

  it('WB-5: asks every Pod by a forwarded port, and merges the answers', async () => {
    const owned = (name: string, state: string, owner: string) => cluster(name, { ownership: { state, owner } });
    await kubelets.addPod(
      podOf('copier-0'),
      await replica(owned('a', 'active', 'copier-0'), owned('b', 'elsewhere', 'x')),
    );
    await kubelets.addPod(
      podOf('copier-1'),
      await replica(owned('a', 'elsewhere', 'x'), owned('b', 'active', 'copier-1')),
    );
    const { out, err, status } = await run(['list', '-o', 'wide', '--no-headers']);
    expect({ err, status }).toEqual({ err: '', status: 0 });
    expect(out).toMatch(/^a +Engaged +\S+ +copier-0 .*\nb +Engaged +\S+ +copier-1 .*\n$/);
    expect(kubelets.forwarded.toSorted()).toEqual(['copier-0', 'copier-1']);
    expect((await run(['describe', 'b', '-o', 'json'])).out).toContain('"name": "b"');
  });

  it('WB-5: transfers a large status unchanged', async () => {
    const names = Array.from({ length: 20_000 }, (_, at) => `cluster-${String(at).padStart(5, '0')}`);
    await kubelets.addPod(podOf('copier-0'), await replica(...names.map((name) => cluster(name))));
    const { out, status } = await run(['-o', 'json']);
    expect(status).toBe(0);
    expect((JSON.parse(out) as { clusters: { name: string }[] }).clusters.map(({ name }) => name)).toEqual(names);
  });

  it('WB-5: finds Pods by a Deployment, a Service, a name and labels', async () => {
    const [port, other] = [await replica(cluster('a')), await replica(cluster('b'))];
    await kubelets.addPod(podOf('copier-0', { port: 'web' }), port);
    await kubelets.addPod(podOf('other-0', { labels: { app: 'other' }, owner: 'other' }), other);
    const metadata = { namespace: NAMESPACE, name: 'copier' };
    await hub.create(Deployment, { metadata, spec: { selector: { matchLabels: APP }, template: TEMPLATE } });
    await hub.create(Service, { metadata, spec: { selector: APP, ports: [{ port: 80 }] } });
    for (const manager of [
      'deploy/copier',
      'deployments.apps/copier',
      'sts/copier',
      'svc/copier',
      'pod/copier-0',
      'app=copier',
    ]) {
      const { out, err, status } = await run(['--manager', manager, '--no-headers']);
      expect({ manager, err, status }).toEqual({ manager, err: '', status: 0 });
      expect(out).toMatch(/^a .*\n$/);
    }
    // Only one Pod has a port named metrics.
    expect((await run(['--no-headers'])).out).toMatch(/^b .*\n$/);
    expect((await run(['--manager', 'app=copier', '--port', 'web', '--no-headers'])).status).toBe(0);
    expect(await run(['--manager', 'deploy/none'])).toMatchObject({
      status: 1,
      err: expect.stringContaining('"none" not found'),
    });
    expect((await run(['--manager', 'app=none'])).err).toContain('no Pod of app=none in namespace fleet');
    expect((await run(['--manager', 'app=copier', '--port', 'metrics'])).err).toContain('no port named metrics');
  });

  it('WB-5: an API server whose Pods have wrong ports does not end the command', async () => {
    const pod = (name: string, containerPort: unknown) => ({
      metadata: { namespace: NAMESPACE, name, uid: name, resourceVersion: '1' },
      spec: { containers: [{ name: 'manager', ports: [{ name: 'metrics', containerPort }] }] },
      status: { phase: 'Running' },
    });
    const items = [pod('copier-0', 99_999), pod('copier-1', '80/../x'), pod('copier-2', 8080)];
    const list = { apiVersion: 'v1', kind: 'PodList', metadata: { resourceVersion: '1' }, items };
    const answer: RequestListener = ({ url = '' }, response) => {
      const isList = url.startsWith(`/api/v1/namespaces/${NAMESPACE}/pods?`);
      response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(list));
    };
    const file = join(directory, 'hostile');
    const server = `http://127.0.0.1:${await listen(createServer(answer))}`;
    const parts = {
      clusters: [{ name: 'a', cluster: { server } }],
      contexts: [{ name: 'a', context: { cluster: 'a' } }],
    };
    await writeFile(file, JSON.stringify({ ...parts, 'current-context': 'a' }));
    const { err, status } = await run(['--manager', 'app=copier'], file);
    expect(err).toContain('pod/copier-0: its containerPort metrics is not a number from 1 to 65535: set --port');
    expect(err).toContain('pod/copier-1: its containerPort metrics is not a number');
    expect(err).toMatch(/pod\/copier-2: (?!its containerPort)/);
    expect(status).toBe(1);
  });

  it('WB-5: names the programs of a namespace that has several', async () => {
    await kubelets.addPod(podOf('copier-0'), undefined);
    await kubelets.addPod(podOf('other-0', { owner: 'other' }), undefined);
    const { err, status } = await run([]);
    expect(err).toContain('set --manager to one of statefulset/copier, statefulset/other');
    expect(status).toBe(1);
    await hub.deleteCollection(Pod, { namespace: NAMESPACE, gracePeriodSeconds: 0 });
    expect((await run([])).err).toContain('no Pod in namespace fleet has a port named metrics: set --manager');
  });

  it('WB-5: prints what the other replicas know if a Pod is pending, does not listen, or is cut off', async () => {
    await kubelets.addPod(podOf('copier-0'), await replica(cluster('a')));
    await kubelets.addPod(podOf('copier-1'), undefined, 'Pending');
    await kubelets.addPod(podOf('copier-2'), 1);
    await kubelets.addPod(podOf('copier-3'), await replica(cluster('b')));
    await kubelets.addPod(podOf('copier-4'), undefined, 'Failed');
    kubelets.faults.set('copier-3', { type: 'cut', after: 100 });
    const { out, err, status } = await run(['--no-headers']);
    expect(out).toMatch(/^a .*\n$/);
    expect(err.split('\n').toSorted()).toEqual([
      '',
      'mcr: pod/copier-1: the Pod is Pending, not Running',
      expect.stringMatching(/^mcr: pod\/copier-2: port-forward failed: error forwarding port 8080 .*ECONNREFUSED/),
      expect.stringMatching(/^mcr: pod\/copier-3: \S/),
    ]);
    expect(status).toBe(1);
  });

  it('WB-5: a Pod that is ending need not answer', async () => {
    await kubelets.addPod(podOf('copier-0'), await replica(cluster('a')));
    await kubelets.addPod(podOf('copier-1'), 1);
    await hub.delete(Pod, { namespace: NAMESPACE, name: 'copier-1' }, { gracePeriodSeconds: 30 });
    expect(await run(['--no-headers'])).toMatchObject({ status: 0, err: '' });
    expect(kubelets.forwarded).toContain('copier-1');
  });

  it.each([
    [
      'an error of the kubelet',
      { type: 'error', text: `\u001B[2J${'x'.repeat(100_000)}` },
      /port-forward failed: \\u001b\[2Jx+/,
    ],
    ['a kubelet that never answers', { type: 'silent' }, /no answer within 1 s/],
    ['messages without a limit', { type: 'garbage' }, /Max payload size exceeded/],
  ] as const)('WB-5: reports %s', async (_, fault, message) => {
    await kubelets.addPod(podOf('copier-0'), await replica(cluster('a')));
    kubelets.faults.set('copier-0', fault);
    const { err, status } = await run(['--timeout', '1']);
    expect(err).toMatch(message);
    expect(err.length).toBeLessThan(1_000);
    expect(status).toBe(1);
  });

  it('WB-5: says which permission is missing, and that credentials are refused', async () => {
    await kubelets.addPod(podOf('copier-0'), await replica(cluster('a')));
    const { config } = await kubelets.plane.issueToken({ user: 'jane' });
    const token = config.auth?.type === 'token' ? config.auth.token : '';
    const [jane, nobody] = [join(directory, 'jane'), join(directory, 'nobody')];
    await writeFile(jane, await kubelets.kubeconfig(token));
    await writeFile(nobody, await kubelets.kubeconfig('invalid'));
    expect((await run([], jane)).err).toContain('cannot list resource "pods"');
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'get'] }];
    await hub.create(ClusterRole, { metadata: { name: 'pods' }, rules });
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'pods' };
    await hub.create(ClusterRoleBinding, { metadata: { name: 'pods' }, roleRef, subjects });
    expect((await run([], jane)).err).toContain(
      'needs the verbs get and create on pods/portforward in namespace fleet',
    );
    expect(await run([], nobody)).toMatchObject({ status: 1, err: expect.stringContaining('Unauthorized') });
  });

  it('WB-5: asks a manager with TLS and restricted access with a token of a ServiceAccount', async () => {
    const identity = await createServingIdentity();
    const files = { certFile: join(directory, 'tls.crt'), keyFile: join(directory, 'tls.key') };
    await writeFile(files.certFile, identity.certificate);
    await writeFile(files.keyFile, identity.key);
    let address = '';
    const note = (message: string, fields: { readonly address?: unknown } = {}): void => {
      if (message === 'server listening') address = String(fields.address);
    };
    const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
    const provider = new InMemoryProvider();
    const metrics = { bindAddress: '127.0.0.1:0', access: 'authorized', certificate: files } as const;
    const manager = await createManager({ provider, logger, metrics, config: kubelets.plane.config });
    provider.set('eu-1', new InMemoryCluster());
    const end = new AbortController();
    const stopped = manager.start(end.signal);
    try {
      await eventually(() => expect(address).not.toBe(''));
      await kubelets.addPod(podOf('copier-0'), Number(new URL(address).port));
      const data = { 'ca.crt': Buffer.from(identity.caCertificate).toString('base64') };
      await hub.create(Secret, { metadata: { namespace: NAMESPACE, name: 'copier-tls' }, data });
      const viewer = { namespace: NAMESPACE, name: 'viewer' };
      await hub.create(ServiceAccount, { metadata: viewer });
      const access = ['--ca-secret', 'copier-tls', '--tls-server-name', 'localhost', '--service-account', 'viewer'];
      expect((await run(access)).err).toContain('needs the verb get on the nonResourceURL /fleet');
      const rules = [{ nonResourceURLs: ['/fleet'], verbs: ['get'] }];
      await hub.create(ClusterRole, { metadata: { name: 'viewer' }, rules });
      const subjects = [{ kind: 'ServiceAccount', ...viewer }];
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'viewer' };
      await hub.create(ClusterRoleBinding, { metadata: { name: 'viewer' }, roleRef, subjects });
      await eventually(async () => expect((await run([...access, '--no-headers'])).out).toMatch(/^eu-1 +\w/m));

      const own = ['--ca-secret', 'copier-tls', '--tls-server-name', 'localhost', '--send-token', '--no-headers'];
      expect((await run(own)).out).toMatch(/^eu-1 /m);
      expect((await run(['--insecure-skip-tls-verify'])).err).toContain('status 401: set --token-file');
      expect((await run(['--ca-secret', 'copier-tls', '--tls-server-name', 'example.com'])).err).toMatch(
        /example\.com.*altnames/,
      );
      expect((await run([])).err).toContain('if the manager serves TLS, use https:// or set --ca-file or --ca-secret');
      expect((await run(['--ca-secret', 'none'])).err).toContain('secrets "none" not found');
    } finally {
      end.abort();
      await stopped;
    }
  });

  it('WB-5: never sends a token to a server whose certificate is not trusted', async () => {
    const identity = await createServingIdentity();
    const other = await createServingIdentity();
    const seen: (string | undefined)[] = [];
    const answer: RequestListener = (request, response) => {
      seen.push(request.headers.authorization);
      response.end(JSON.stringify({ clusters: [] }));
    };
    const port = await listen(createSecureServer({ cert: identity.certificate, key: identity.key }, answer));
    await kubelets.addPod(podOf('copier-0'), port);
    const caFile = join(directory, 'other.crt');
    await writeFile(caFile, other.caCertificate);
    const { err, status } = await run(['--send-token', '--ca-file', caFile, '--tls-server-name', 'localhost']);
    expect(err).toMatch(/certificate|self-signed/);
    expect({ status, seen }).toEqual({ status: 1, seen: [] });
  });

  it('WB-5: a watch follows replicas that come and go', async () => {
    let out = '';
    let err = '';
    const stop = new AbortController();
    const args = ['fleet', 'watch', '--kubeconfig', kubeconfig, '-n', NAMESPACE, '--interval', '1'];
    await kubelets.addPod(podOf('copier-0'), await replica(cluster('a')));
    const output = {
      print: (text: string) => void (out += text),
      warn: (text: string) => void (err += text),
      signal: stop.signal,
    };
    const watching = runMcr(args, output);
    await eventually(() => expect(out).toMatch(/^a /m));
    await kubelets.addPod(podOf('copier-1'), await replica(cluster('b')));
    await eventually(() => expect(out).toMatch(/^b +Engaged/m));
    await hub.delete(Pod, { namespace: NAMESPACE, name: 'copier-0' }, { gracePeriodSeconds: 0 });
    await eventually(() => expect(out).toMatch(/^a +Gone/m));
    stop.abort();
    expect(await watching).toBe(0);
    expect(err).toBe('');
  });

  it.each([
    [['--url', 'http://localhost:1'], "option '--url <address>' cannot be used with option '-n, --namespace <name>'"],
    [['--manager', 'job/a'], 'expected deployment/NAME, statefulset/NAME, service/NAME, pod/NAME or a label selector'],
    [['--manager', 'a in'], "option '--manager <target>' argument 'a in' is invalid."],
    [['--port', '70000'], 'expected the number or the name of a port'],
    [['--send-token'], "option '--send-token' needs option '--ca-file <file>' or '--ca-secret <name>'"],
    [['--send-token', '--insecure-skip-tls-verify'], 'cannot be used with option'],
    [['--ca-file', 'a', '--insecure-skip-tls-verify'], 'cannot be used with option'],
  ])('WB-5: refuses %j', async (args, message) => {
    const { err, status } = await run(args);
    expect(err).toContain(message);
    expect(status).toBe(2);
  });
});
