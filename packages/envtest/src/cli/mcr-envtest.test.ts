import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lockDirectory } from '@mcr/apiserver/protocol';
import { createClient, defineKind, loadKubeconfig } from '@mcr/client';
import type { UpOptions } from './envtest-program.ts';
import { reserveDirectory } from './kubeconfigs.ts';
import { LiveLine } from './live-line.ts';
import { readyText } from './ready-text.ts';
import { up } from './up.ts';

const ARGV = ['--conditions=@mcr/source', join(import.meta.dirname, 'mcr-envtest.ts')];

const MANIFESTS = `
apiVersion: shop.example/v1
kind: Apple
metadata: { name: boskoop }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: default }
data: { region: eu }
`;

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: apples.shop.example }
spec:
  group: shop.example
  names: { plural: apples, kind: Apple }
  scope: Namespaced
  versions:
    - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }
`;

interface Ready {
  readonly clusters: readonly { readonly name: string; readonly server: string; readonly kubeconfig: string }[];
  readonly kubeconfig: string;
}

describe('mcr-envtest', () => {
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'mcr-envtest-test-'));
    await writeFile(join(directory, 'manifests.yaml'), MANIFESTS);
    await writeFile(join(directory, 'apples.yaml'), DEFINITION);
  });
  afterAll(() => rm(directory, { recursive: true }));

  const run = (...args: string[]) => spawnSync(process.execPath, [...ARGV, ...args], { encoding: 'utf8' });

  it('K-31: up starts a hub and members with definitions and objects, and stops on SIGTERM', async () => {
    const files = ['--crds', join(directory, 'apples.yaml'), '--load', join(directory, 'manifests.yaml')];
    const child = spawn(process.execPath, [...ARGV, 'up', '--members', '1', '--json', ...files], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { clusters, kubeconfig } = JSON.parse(line) as Ready;
    expect(clusters.map(({ name }) => name)).toEqual(['hub', 'member-1']);
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
    for (const { name, server } of clusters) {
      const config = loadKubeconfig({ path: kubeconfig, context: name });
      expect(config.server).toBe(server);
      await using client = createClient(config);
      const key = { namespace: 'default', name: 'boskoop' };
      await client.get(defineKind({ apiVersion: 'shop.example/v1', kind: 'Apple' }), key);
    }
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([143, null]);
    expect(existsSync(kubeconfig)).toBe(false);
    expect(printed).toBe('');
  });

  it('K-31: names the flag, the file and the document of what up cannot load', async () => {
    await writeFile(join(directory, 'bad.yaml'), `${MANIFESTS}---\n- a\n`);
    const { status, stderr } = run('up', '--load', join(directory, 'bad.yaml'));
    expect(status).toBe(1);
    expect(stderr).toBe(
      `mcr-envtest: --load: ${join(directory, 'bad.yaml')}, document 3: expected an object: a manifest needs apiVersion, kind and metadata.name\n`,
    );
    expect(run('up', '--membres', '1')).toMatchObject({
      status: 2,
      stderr: "mcr-envtest: unknown option '--membres'\n(Did you mean --members?)\n",
    });
  });

  it('K-31: up refuses a directory that another process uses for its kubeconfigs', async () => {
    const used = join(directory, 'used');
    const release = reserveDirectory(used);
    await writeFile(join(used, 'kubeconfig'), 'of the first');
    expect(run('up', '--members', '0', '--dir', used)).toMatchObject({
      status: 1,
      stderr: `mcr-envtest: --dir: ${used} is used by "mcr-envtest up" of process ${process.pid} (${join(used, 'up.lock')}): stop it, or use another directory\n`,
    });
    expect(await readFile(join(used, 'kubeconfig'), 'utf8')).toBe('of the first');
    release();
    expect(await readdir(used)).toEqual(['kubeconfig']);
  });

  it('K-31: names the flag of a data directory that up cannot use', async () => {
    const data = join(directory, 'data');
    await mkdir(data);
    const release = lockDirectory(data);
    const options: UpOptions = { members: 0, dataDir: data };
    const { signal } = new AbortController();
    const starting = up({ options, line: new LiveLine(), onReady: () => undefined, signal });
    await expect(starting).rejects.toThrow(
      `--data-dir: ${data} is used by the API server of process ${process.pid} (${join(data, 'lock')}): stop it, or use another directory`,
    );
    release();
  });

  it('K-31: prints a table and the next step', () => {
    const remove = (): Promise<void> => Promise.resolve();
    const clusters = [{ name: 'hub', server: 'https://127.0.0.1:1', kubeconfig: '/d/hub.kubeconfig' }];
    expect(readyText({ clusters, all: '/d/kubeconfig', remove }, { bold: false })).toBe(
      [
        'CLUSTER  SERVER               KUBECONFIG',
        'hub      https://127.0.0.1:1  /d/hub.kubeconfig',
        '',
        'All contexts: /d/kubeconfig',
        'Next:         KUBECONFIG=/d/kubeconfig kubectl --context hub get ns',
        'Stop:         Ctrl-C',
        '',
      ].join('\n'),
    );
  });

  it.each([['up'], ['assets', 'bin'], ['--help']])(
    'K-31: %s refuses a release of Node.js that is not supported',
    (...args) => {
      const old = 'data:text/javascript,Object.defineProperty(process,"version",{value:"v20.20.2"})';
      const found = spawnSync(process.execPath, ['--import', old, ...ARGV, ...args], {
        encoding: 'utf8',
        cwd: directory,
      });
      expect([found.status, found.stdout]).toEqual([1, '']);
      expect(found.stderr).toContain(
        `mcr-envtest: Node.js 20.20.2 (${process.execPath}) is not supported: use a release in`,
      );
      expect(existsSync(join(directory, 'bin'))).toBe(false);
    },
  );

  it('K-31: says that the installation is incomplete without @mcr/apiserver', () => {
    const hook = `import { registerHooks } from 'node:module'; registerHooks({ resolve: (specifier, context, next) =>
      next(specifier.replace('@mcr/apiserver/', '@mcr/absent/'), context) })`;
    const args = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, ...ARGV, 'up'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^mcr-envtest: the installation is incomplete: Cannot find package '@mcr\/absent'.*: install @mcr\/envtest again\n$/,
    );
  });

  it('K-31: assets writes programs that start the server, and that say when it has moved', async () => {
    const assets = join(directory, 'the assets');
    expect(run('assets', assets)).toMatchObject({
      status: 0,
      stdout: `${assets}: kube-apiserver, etcd\nNext: KUBEBUILDER_ASSETS=${assets} go test ./...\n`,
    });
    const etcd = spawnSync(join(assets, 'etcd'), ['--help'], { encoding: 'utf8' });
    expect(etcd.stdout).toContain('--unsafe-no-fsync');
    const apiServer = spawnSync(join(assets, 'kube-apiserver'), ['--help'], { encoding: 'utf8' });
    expect(apiServer.stdout).toMatch(/^ *--client-ca-file/m);
    // Envtest passes this flag to programs that have it.
    expect(apiServer.stdout).not.toContain('--insecure-port');
    const script = await readFile(join(assets, 'etcd'), 'utf8');
    await writeFile(join(assets, 'etcd'), script.replace(/^entry=.*$/m, "entry='/none/etcd.js'"));
    const moved = spawnSync(join(assets, 'etcd'), [], { encoding: 'utf8' });
    expect(moved).toMatchObject({
      status: 1,
      stderr:
        'etcd: /none/etcd.js does not exist: run "npx @mcr/envtest assets" again, because Node.js or @mcr/envtest has moved\n',
    });
  });
});
