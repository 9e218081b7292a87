import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createClient, CustomResourceDefinition, defineKind, loadKubeconfig, Secret } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { runMcr } from '../command/mcr-program.ts';
import { DevProject } from './dev.fixture.ts';
import { isRunning } from './is-running.ts';

/** A kind whose field has a type. */
const kindsOf = (type: 'string' | 'number', group = 'example.com') => `
import { defineKind } from '@mcr/kinds';
import * as z from 'zod';
export const kinds = [
  defineKind({
    apiVersion: '${group}/v1', kind: 'Widget', plural: 'widgets', scope: 'Namespaced',
    spec: z.object({ size: z.${type}() }),
  }),
];
`;
const CONFIG = `
import { Secret } from '@mcr/core';
import { kinds } from './kinds.ts';
export default {
  name: 'a',
  kinds,
  manager: () => ({
    metrics: { bindAddress: process.env.METRICS_ADDRESS },
    health: { bindAddress: process.env.HEALTH_ADDRESS },
    leaderElection: { id: 'a' },
  }),
  setup: ({ permissions }) =>
    permissions.require('inventory', [{ kind: Secret, verbs: ['list'], namespaces: ['fleet'], in: 'local' }]),
};
`;
/** @param end code after the start of the manager. */
const mainOf = (word: string, { page = false, end = '' } = {}) => `
import { createManager, shutdownSignal } from '@mcr/core';
import config from './mcr.config.ts';
const manager = await createManager(config.manager());
await config.setup(manager);
if (${page}) manager.addMetricsHandler('/dashboard', (_, response) => response.end(), { access: 'everybody' });
void manager.elected.then(() => {
  console.log(\`${word} leads as \${process.pid}\`);
  ${end}
});
await manager.start(shutdownSignal().signal);
`;

describe('mcr dev', () => {
  it('WB-2: runs the program on a fleet, and restarts it after changes, failures and crashes', async () => {
    await using project = await DevProject.create({
      'mcr.config.ts': CONFIG,
      'kinds.ts': kindsOf('string'),
      'main.ts': mainOf('first'),
      'other.ts': '',
    });
    project.start('--members', '1');
    await project.matched(/^a hub and 1 member run on this machine \(\d+\.\d s\)$/mu);
    const kubeconfig = await project.matched(/^export KUBECONFIG=(.*)$/mu);
    const first = Number(await project.matched(/^first leads as (\d+)$/mu));
    await project.matched(/^no fleet page: call addDashboard\(manager, /mu);
    await using client = createClient(loadKubeconfig({ path: kubeconfig }));
    const secret = await client.get(Secret, { namespace: 'fleet', name: 'member-1' });
    const text = Buffer.from(secret.data?.['kubeconfig'] ?? '', 'base64').toString();
    expect(text).toContain('server: https://127.0.0.1:');

    await project.write({ 'other.ts': '// not loaded', 'main.ts': mainOf('second', { page: true }) });
    const second = Number(await project.matched(/^second leads as (\d+)$/mu));
    expect(isRunning(first)).toBe(false);
    expect(project.out).not.toContain('other.ts');
    await project.matched(/^fleet page of a: (http:\/\/127\.0\.0\.1:\d+\/dashboard)$/mu);
    expect((await client.get(Secret, { namespace: 'fleet', name: 'member-1' })).metadata.uid).toBe(secret.metadata.uid);

    await project.write({ 'main.ts': 'const a b = 1;' });
    await project.matched(/^mcr: a ended with exit code 1: waiting for a change$/mu);
    expect(isRunning(second)).toBe(false);
    await project.write({ 'main.ts': mainOf('third', { end: 'process.exit(3);' }) });
    await project.matched(/^mcr: a ended with exit code 3: waiting for a change$/mu);
    // The Lease of the program that crashed is not in its way.
    await project.write({ 'main.ts': `import './absent.ts';${mainOf('fourth')}` });
    await project.matched(/^mcr: a ended with exit code 1: waiting for a change$/mu);
    await project.write({ 'absent.ts': '' });
    await project.matched(/^fourth leads as (\d+)$/mu);

    // Changed kinds are installed before the program starts. Objects are kept.
    const widget = { metadata: { namespace: 'fleet', name: 'small' }, spec: { size: 'S' } };
    const Widget = defineKind({ apiVersion: 'example.com/v1', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' });
    await client.create(Widget, widget);
    await project.write({ 'kinds.ts': kindsOf('number') });
    await project.matched(/^widgets\.example\.com changed: installed in 2 clusters$/mu);
    await project.matched(/^fourth leads as (\d+)$/mu);
    const { spec } = await client.get(CustomResourceDefinition, { name: 'widgets.example.com' });
    expect(spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec']?.properties?.['size']?.type).toBe('number');
    expect(await client.get(Widget, widget.metadata)).toMatchObject({ spec: { size: 'S' } });
    await project.write({ 'kinds.ts': kindsOf('string').replaceAll('Namespaced', 'Cluster') });
    await project.matched(
      /^mcr: widgets\.example\.com: .*spec\.scope.*immutable.*: the clusters keep the previous kind$/mu,
    );
    await project.matched(/^fourth leads as (\d+)$/mu);

    // The second Ctrl-C does not wait.
    await project.write({
      'main.ts': mainOf('fifth', { end: `process.removeAllListeners('SIGTERM').on('SIGTERM', () => {});` }),
    });
    const fifth = Number(await project.matched(/^fifth leads as (\d+)$/mu));
    project.kill('SIGINT');
    await project.matched(/^stopping: /mu);
    expect(isRunning(fifth)).toBe(true);
    project.kill('SIGINT');
    expect(await project.ended()).toBe(130);
    await eventually(() => expect(isRunning(fifth)).toBe(false));
    await eventually(async () => expect(await project.processes()).toEqual([]));
    expect(await project.leftovers()).toEqual([]);
  }, 300_000);

  it('WB-2: restarts replicas one after another, stops at one that fails, and leaves no process when it is killed', async () => {
    await using project = await DevProject.create({
      'mcr.config.ts': CONFIG,
      'kinds.ts': 'export const kinds = [];',
      'main.ts': mainOf('first', { page: true }),
    });
    project.start('--members', '0', '--replicas', '2');
    await project.matched(/^a-0 started \(/mu);
    await project.matched(/^a-1 started \(/mu);
    await project.matched(/^a-[01] \| first leads as \d+$/mu);
    const pages = [
      await project.matched(/^fleet page of a-0: (.*)$/mu),
      await project.matched(/^fleet page of a-1: (.*)$/mu),
    ];
    expect(new Set(pages).size).toBe(2);

    await project.write({ 'main.ts': mainOf('second') });
    await project.matched(/^a-0 restarted because main\.ts changed \(\d+\.\d s\)$/mu);
    await project.matched(/^a-1 restarted because main\.ts changed \(\d+\.\d s\)$/mu);
    expect(project.out.indexOf('a-0 restarted')).toBeLessThan(project.out.indexOf('a-1 restarted'));
    await project.matched(/^a-[01] \| second leads as \d+$/mu);

    await project.write({ 'main.ts': 'throw new Error("broken");' });
    await project.matched(/^mcr: a-0 ended with exit code 1: waiting for a change$/mu);
    // The other replica leads, with the code before. A process reads the config.
    await eventually(async () => expect(await project.processes()).toHaveLength(3));
    expect(project.out).not.toContain('mcr: a-1 ended');

    project.kill('SIGKILL');
    expect(await project.ended()).toBe('SIGKILL');
    await eventually(async () => expect(await project.processes()).toEqual([]), { deadline: 30_000 });
  }, 300_000);

  it.each([
    ['SIGTERM', 143, /^reading /mu],
    ['SIGHUP', 129, /^starting a hub/mu],
  ] as const)(
    'WB-2: %s during the start ends everything',
    async (signal, code, step) => {
      await using project = await DevProject.create({
        'mcr.config.ts': CONFIG,
        'kinds.ts': 'export const kinds = [];',
        'main.ts': '',
      });
      project.start();
      await project.matched(step);
      project.kill(signal);
      expect(await project.ended()).toBe(code);
      expect(project.out).not.toContain('mcr: ');
      expect(await project.processes()).toEqual([]);
      expect(await project.leftovers()).toEqual([]);
    },
    120_000,
  );

  it('WB-2: refuses replicas that would disturb each other', async () => {
    await using project = await DevProject.create({
      'mcr.config.ts': `export default { name: 'a', manager: () => ({}), setup: () => {} };`,
      'main.ts': '',
    });
    project.start('--replicas', '2');
    await project.matched(
      /^mcr: --replicas: 2 replicas would all reconcile the same clusters: set leaderElection or sharding/mu,
    );
    expect(await project.ended()).toBe(1);
    expect(await project.leftovers()).toEqual([]);
  }, 120_000);

  it('WB-2: restarts in time, refuses a second start, says what the fleet lacks, and fails if the clusters end', async () => {
    const configOf = (more = '') => `
      import { ConfigMap } from '@mcr/core';
      export default {
        name: 'a', namespace: 'a',
        ${more}
        manager: () => ({ metrics: { bindAddress: '0' }, health: { bindAddress: process.env.HEALTH_ADDRESS } }),
        setup: ({ permissions }) => permissions.require('test', [
          { kind: ConfigMap, verbs: ['get'], namespaces: [${more === '' ? `'a'` : `'a', 'extra'`}], in: 'local' },
        ]),
      };`;
    const main = (word: string) => `
      import { createManager, shutdownSignal } from '@mcr/core';
      import config from './mcr.config.ts';
      const manager = await createManager(config.manager());
      await config.setup(manager);
      console.log('${word} serves ' + process.env.HEALTH_ADDRESS);
      await manager.start(shutdownSignal().signal);`;
    await using project = await DevProject.create({ 'mcr.config.ts': configOf(), 'main.ts': main('first') });
    project.start();
    const kubeconfig = await project.matched(/^export KUBECONFIG=(.*)$/mu);
    expect(kubeconfig).toBe(join(project.directory, '.mcr', 'hub.kubeconfig'));
    expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(kubeconfig))).mode & 0o777).toBe(0o700);
    expect(await readFile(join(dirname(kubeconfig), '.gitignore'), 'utf8')).toBe('*\n');
    await project.matched(/^a started \(/mu);

    const since = performance.now();
    await project.write({ 'main.ts': main('second') });
    const address = await project.matched(/^second serves (.*)$/mu);
    await eventually(async () => expect((await fetch(`http://${address}/readyz`)).status).toBe(200), { interval: 10 });
    const seconds = (performance.now() - since) / 1000;
    process.stdout.write(`ready ${seconds.toFixed(2)} s after the change of a file\n`);
    expect(seconds).toBeLessThan(10);

    let text = '';
    const print = (part: string): void => void (text += part);
    const { signal } = new AbortController();
    const config = join(project.directory, 'mcr.config.ts');
    expect(await runMcr(['dev', '--config', config, '--main', 'main.ts'], { print, warn: print, signal })).toBe(1);
    expect(text).toMatch(/^mcr: mcr dev runs in .* already, as process \d+: stop it first/mu);
    expect(await readFile(kubeconfig, 'utf8')).toContain('server: https://127.0.0.1:');

    await project.write({ 'mcr.config.ts': configOf('webhooks: { port: 9443 },') });
    await project.matched(
      /^mcr: the fleet does not have what the config needs now: webhooks, the namespace extra: start mcr dev again$/mu,
    );

    process.kill(await project.serverProcess(), 'SIGKILL');
    await project.matched(/^mcr: the process of the clusters has ended: start mcr dev again$/mu);
    expect(await project.ended()).toBe(1);
    expect(await project.processes()).toEqual([]);
    expect(await project.leftovers()).toEqual([]);
  }, 300_000);

  it('WB-2: says what to do without a program', async () => {
    await using project = await DevProject.create({ 'mcr.config.ts': CONFIG, 'kinds.ts': 'export const kinds = [];' });
    let text = '';
    const print = (part: string): void => void (text += part);
    const { signal } = new AbortController();
    const config = join(project.directory, 'mcr.config.ts');
    const status = await runMcr(['dev', '--config', config, '--main', 'absent.ts'], { print, warn: print, signal });
    expect(text).toMatch(/^reading .*\nmcr: --main: .*absent\.ts: no such file: set --main <file> to the program\n$/u);
    expect(status).toBe(1);
  });
});
